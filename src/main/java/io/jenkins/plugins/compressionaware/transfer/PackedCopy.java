package io.jenkins.plugins.compressionaware.fetch;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.flow.Tasks;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.receive.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.send.FrameFileSink;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.VirtualFrameFile;
import io.jenkins.plugins.compressionaware.engine.staging.PartialPath;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.report.FigureFormat;
import io.jenkins.plugins.compressionaware.transfer.StartupCleanup;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A compressed copy of selected artifacts in a file below the Jenkins home. Concurrent fetches of the same files share
 * the copy, and the last fetch deletes it. Thread-safe.
 */
final class PackedArtifacts implements Closeable {
    private static final Logger LOGGER = Logger.getLogger(PackedArtifacts.class.getName());

    /** All packed artifacts together may use the free disk space divided by this. */
    private static final int FREE_SPACE_DIVISOR = 2;

    @GuardedBy("ALL")
    private static final Map<Key, PackedArtifacts> ALL = new HashMap<>();

    private final Key key;

    @GuardedBy("ALL")
    private int users;

    /** Held while packing, so that other fetches of the same files wait. */
    private final Lock packing = new ReentrantLock();

    private Path file;
    private List<CodecUsage> usages;
    private StagingJournal.Entry entry;

    /**
     * Identifies packed artifacts. Fetches with equal keys share them.
     *
     * @param unshared a new object, equal to no other, if the archive may change; else null
     */
    record Key(
            FetchSelection files,
            SendOptions options,
            @CheckForNull Object unshared) {}

    private PackedArtifacts(Key key) {
        this.key = key;
    }

    /**
     * Returns the packed artifacts of a key, and packs them if no other fetch has done so.
     *
     * @throws IOException naming a file that cannot be read, or if the disk space does not suffice
     */
    static PackedArtifacts of(Key key, VirtualFrameFile files) throws IOException, InterruptedException {
        PackedArtifacts packed;
        synchronized (ALL) {
            packed = ALL.computeIfAbsent(key, PackedArtifacts::new);
            packed.users++;
        }
        try {
            packed.ensurePacked(files);
            return packed;
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            packed.close();
            throw e;
        }
    }

    Path file() {
        return file;
    }

    List<CodecUsage> usages() {
        return usages;
    }

    private void ensurePacked(VirtualFrameFile files) throws IOException, InterruptedException {
        packing.lockInterruptibly();
        try {
            if (file == null) {
                pack(files);
            }
        } catch (InterruptedIOException e) {
            throw Tasks.interrupted("Interrupted while packing", e);
        } finally {
            packing.unlock();
        }
    }

    private void pack(VirtualFrameFile files) throws IOException, InterruptedException {
        Path folder = StartupCleanup.homeFolder("packed");
        Files.createDirectories(folder);
        requireDiskSpace(folder);
        Path partial = PartialPath.create(folder);
        Path whole = PartialPath.create(folder);
        entry = StartupCleanup.journal().open(whole);
        try (HeapBudget.Reservation heap = HeapBudget.ofThisJvm().open(FrameFileSink.heap(key.options), 0);
                StagingJournal.Entry partialEntry = StartupCleanup.journal().open(partial);
                FrameFileWriter writer = new FrameFileWriter(whole, partial, key.options.blockSize())) {
            usages = FrameFileSink.store(files, key.options, writer).usages();
            writer.commit();
            file = whole;
        } finally {
            if (file == null) {
                entry.close();
            }
        }
    }

    private void requireDiskSpace(Path folder) throws IOException {
        long free = Files.getFileStore(folder).getUsableSpace();
        long needed;
        synchronized (ALL) {
            needed = ALL.keySet().stream().mapToLong(each -> each.files.bytes()).sum();
        }
        if (needed > free / FREE_SPACE_DIVISOR) {
            throw new IOException(Messages.PackedArtifacts_noRoom(
                    folder,
                    FigureFormat.ofReader().bytes(free),
                    FigureFormat.ofReader().bytes(needed)));
        }
    }

    /** Deletes the file if no other fetch uses it. */
    @Override
    public void close() {
        synchronized (ALL) {
            if (--users > 0) {
                return;
            }
            ALL.remove(key);
        }
        if (file != null) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                LOGGER.log(Level.WARNING, e, () -> "Cannot delete " + file + ". The next start of Jenkins deletes it");
            }
            entry.close();
        }
    }
}
