package io.jenkins.plugins.compressionaware.transfer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import io.jenkins.plugins.compressionaware.engine.send.FrameFileSink;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.engine.staging.PartialPath;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.report.FigureFormat;
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
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * A compressed copy of artifacts or of a stash, in a file below the Jenkins home. Concurrent transfers of the same content share the copy, and the last of them
 * deletes it. All copies together reserve at most half of the free disk space, and those for one agent a quarter. Thread-safe.
 */
@Restricted(NoExternalUse.class)
public final class PackedCopy implements Closeable {
    private static final Logger LOGGER = Logger.getLogger(PackedCopy.class.getName());

    /** All copies together may reserve the free disk space divided by this. */
    private static final int FREE_SPACE_DIVISOR = 2;

    /** The copies for one agent may reserve the free disk space divided by this. */
    private static final int AGENT_DIVISOR = 4;

    /** Content that does not compress grows by less than its size divided by this. */
    private static final int GROWTH_DIVISOR = 64;

    @GuardedBy("ALL")
    private static final Map<Key, PackedCopy> ALL = new HashMap<>();

    private final Key key;
    private final String agent;
    private final long reserved;

    @GuardedBy("ALL")
    private int users;

    /** Held while packing, so that other transfers of the same content wait. */
    private final Lock packing = new ReentrantLock();

    private boolean packed;
    private Path file;
    private List<CodecUsage> usages;
    private FrameFileWriter writer;
    private StagingJournal.Entry entry;
    private IOException failure;

    /**
     * Identifies a copy. Transfers with equal keys share it.
     *
     * @param content  equal only to the same content
     * @param unshared a new object, equal to no other, if the content may change; else null
     */
    public record Key(
            Object content,
            SendOptions options,
            @CheckForNull Object unshared) {}

    /** Compresses the content into a frame file, and finishes the file. */
    public interface Source {
        SendReport store(FrameFileWriter target) throws IOException, InterruptedException;
    }

    private PackedCopy(Key key, String agent, long bytes) {
        this.key = key;
        this.agent = agent;
        reserved = bytes + bytes / GROWTH_DIVISOR + key.options.blockSize();
    }

    /**
     * Returns the copy of a key, and creates it if no running transfer has done so.
     *
     * @param agent the agent that needs the copy; the copy counts against the share of the first one
     * @param bytes length of the frame file without compression
     * @throws IOException if the content cannot be read, if the disk space does not suffice, or if the copy exceeds its reservation
     */
    public static PackedCopy of(Key key, String agent, long bytes, Source source)
            throws IOException, InterruptedException {
        return of(StartupCleanup.homeFolder("packed"), StartupCleanup.journal(), key, agent, bytes, source);
    }

    static PackedCopy of(Path folder, StagingJournal journal, Key key, String agent, long bytes, Source source)
            throws IOException, InterruptedException {
        PackedCopy copy;
        synchronized (ALL) {
            copy = ALL.computeIfAbsent(key, each -> new PackedCopy(each, agent, bytes));
            copy.users++;
        }
        try {
            copy.ensurePacked(folder, journal, source);
            return copy;
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            copy.close();
            throw e;
        }
    }

    public Path file() {
        return file;
    }

    public List<CodecUsage> usages() {
        return usages;
    }

    private void ensurePacked(Path folder, StagingJournal journal, Source source)
            throws IOException, InterruptedException {
        packing.lockInterruptibly();
        try {
            if (failure != null) {
                throw failure;
            }
            if (!packed || Files.notExists(file)) { // an administrator may delete these files
                pack(folder, journal, source);
            }
        } catch (InterruptedIOException e) {
            Thread.interrupted(); // the exception reports it
            throw Tasks.interrupted("Interrupted while packing", e);
        } catch (IOException e) {
            failure = e;
            throw e;
        } finally {
            packing.unlock();
        }
    }

    private void pack(Path folder, StagingJournal journal, Source source) throws IOException, InterruptedException {
        packed = false;
        delete(); // the rest of an interrupted attempt
        Files.createDirectories(folder);
        requireDiskSpace(folder);
        file = PartialPath.create(folder);
        entry = journal.open(file);
        writer = new FrameFileWriter(file, file, key.options.blockSize(), reserved);
        try (HeapBudget.Reservation heap =
                HeapBudget.ofThisJvm().open(FrameFileSink.heap(key.options), 0).of(agent)) {
            usages = source.store(writer).usages();
        }
        packed = true;
    }

    private void requireDiskSpace(Path folder) throws IOException {
        long free = Files.getFileStore(folder).getUsableSpace();
        long needed;
        long own;
        synchronized (ALL) {
            needed = ALL.values().stream().mapToLong(each -> each.reserved).sum();
            own = ALL.values().stream()
                    .filter(each -> each.agent.equals(agent))
                    .mapToLong(each -> each.reserved)
                    .sum();
        }
        if (needed > free / FREE_SPACE_DIVISOR || own > free / AGENT_DIVISOR) {
            throw new IOException(Messages.PackedCopy_noRoom(
                    folder,
                    FigureFormat.ofReader().bytes(free),
                    FigureFormat.ofReader().bytes(needed)));
        }
    }

    /** Deletes the file if no other transfer uses it. */
    @Override
    public void close() {
        synchronized (ALL) {
            if (--users > 0) {
                return;
            }
            ALL.remove(key);
        }
        delete();
    }

    private void delete() {
        if (writer != null) {
            try {
                writer.close();
            } catch (IOException e) {
                LOGGER.log(Level.WARNING, e, () -> "Cannot delete " + file + ". The next start of Jenkins deletes it");
            }
        }
        if (entry != null) {
            entry.close();
        }
    }
}
