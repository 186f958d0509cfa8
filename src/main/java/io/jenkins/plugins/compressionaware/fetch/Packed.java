package io.jenkins.plugins.compressionaware.fetch;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.adaptive.Usage;
import io.jenkins.plugins.compressionaware.transfer.UnderWay;
import io.jenkins.plugins.compressionaware.engine.receive.HeapBudget;
import io.jenkins.plugins.compressionaware.report.Formats;
import io.jenkins.plugins.compressionaware.engine.send.FilesAsFrames;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.StoredFileSink;
import io.jenkins.plugins.compressionaware.engine.staging.Notes;
import io.jenkins.plugins.compressionaware.engine.staging.PartialPath;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredWriter;
import io.jenkins.plugins.compressionaware.engine.tar.Tasks;
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

/** Files of an archive, compressed into one file below Jenkins' home while somebody fetches them. Others who fetch the same share it. */
final class Packed implements Closeable {
    private static final Logger LOGGER = Logger.getLogger(Packed.class.getName());

    /** The free space of the disk, divided by this, must hold all of these files together. */
    private static final int PART_OF_FREE = 2;

    /** Guarded by itself, as are the counts of users. */
    private static final Map<Key, Packed> ALL = new HashMap<>();

    private final Key key;
    private int users;

    /** Held while packing. Others who fetch the same files wait for it. */
    private final Lock packing = new ReentrantLock();

    private Path file;
    private List<Usage> usages;
    private Notes.Note note;

    /**
     * Files with equal keys are shared.
     *
     * @param alone a new object if the archive may change, so that nobody shares the file; else null
     */
    record Key(
            Chosen files, SendOptions options, @CheckForNull Object alone) {}

    private Packed(Key key) {
        this.key = key;
    }

    /**
     * Packs files unless they are already packed.
     *
     * @throws IOException naming a file that cannot be read, or if there is no room
     */
    static Packed of(Key key, FilesAsFrames files) throws IOException, InterruptedException {
        Packed packed;
        synchronized (ALL) {
            packed = ALL.computeIfAbsent(key, Packed::new);
            packed.users++;
        }
        try {
            packed.packUnlessDone(files);
            return packed;
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            packed.close();
            throw e;
        }
    }

    Path file() {
        return file;
    }

    /** Codecs and levels of the packed file. */
    List<Usage> usages() {
        return usages;
    }

    private void packUnlessDone(FilesAsFrames files) throws IOException, InterruptedException {
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

    private void pack(FilesAsFrames files) throws IOException, InterruptedException {
        Path folder = UnderWay.folder("fetched");
        Files.createDirectories(folder);
        requireRoom(folder);
        Path partial = PartialPath.in(folder);
        Path whole = PartialPath.in(folder);
        note = UnderWay.notes().begin(whole);
        try (HeapBudget.Account heap = HeapBudget.ofThisJvm().open(StoredFileSink.heap(key.options), 0);
                Notes.Note underWay = UnderWay.notes().begin(partial);
                StoredWriter writer = new StoredWriter(whole, partial, key.options.blockSize())) {
            usages = StoredFileSink.store(files, key.options, writer).usages();
            writer.commit();
            file = whole;
        } finally {
            if (file == null) {
                note.close();
            }
        }
    }

    private void requireRoom(Path folder) throws IOException {
        long free = Files.getFileStore(folder).getUsableSpace();
        long needed;
        synchronized (ALL) {
            needed = ALL.keySet().stream().mapToLong(each -> each.files.bytes()).sum();
        }
        if (needed > free / PART_OF_FREE) {
            throw new IOException(Messages.Packed_noRoom(
                    folder, Formats.ofReader().bytes(free), Formats.ofReader().bytes(needed)));
        }
    }

    /** The last user removes the file. */
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
                LOGGER.log(Level.WARNING, e, () -> "Cannot delete " + file + " before the next start");
            }
            note.close();
        }
    }
}
