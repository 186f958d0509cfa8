package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.adaptive.ContentClass;
import io.jenkins.plugins.compressionaware.engine.adaptive.ContentClassifier;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.store.ObjectPart;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.engine.store.PartSender;
import io.jenkins.plugins.compressionaware.engine.store.StoreFigures;
import io.jenkins.plugins.compressionaware.engine.store.StoreUpload;
import io.jenkins.plugins.compressionaware.engine.tar.EntryEncoder;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/** Stores large files that do not compress as objects of their own, so that browsers can download them from the store. Used by one thread. */
final class OwnObjects implements EntryEncoder {
    static final long MIN_BYTES = 64 << 20;

    private static final int SAMPLES = 4;
    private static final int SAMPLE_BYTES = 64 * 1024;
    private static final int BUFFER = 128 * 1024;

    private final StoreUpload upload;
    private final PartChecksum checksum;
    private final TransferThreads threads;
    private final long minBytes;
    /** The tags of all parts, by the key of their object. */
    private final Map<String, List<String>> tags = new HashMap<>();

    private StoreFigures figures = StoreFigures.NONE;
    private long waitNanos;
    private volatile long bytes;
    private volatile List<PartSender> current = List.of();

    OwnObjects(StoreUpload upload, PartChecksum checksum, TransferThreads threads, long minBytes) {
        this.upload = upload;
        this.checksum = checksum;
        this.threads = threads;
        this.minBytes = minBytes;
    }

    @Override
    public boolean encode(Path path, long size, Parts parts) {
        return false;
    }

    @Override
    public String store(String name, Path path, InputStream in, long size) throws IOException {
        if (size < minBytes || !isNoise(path, size)) {
            return null;
        }
        AtomicReference<String> key = new AtomicReference<>();
        // the thread that signs begins the object
        StoreUpload own = parts -> {
            if (key.get() == null) {
                key.set(upload.begin(name));
            }
            return upload.sign(Stream.of(parts).map(part -> part.of(key.get())).toArray(ObjectPart[]::new));
        };
        try (PartSender sender = new PartSender(own, checksum, threads, write -> {}, size)) {
            current = List.of(sender);
            byte[] buffer = new byte[BUFFER];
            for (long left = size; left > 0; ) {
                int n = in.read(buffer, 0, (int) Math.min(buffer.length, left));
                if (n < 0) {
                    throw new EOFException("Cannot archive " + path + ": it shrank from " + size + " to "
                            + (size - left) + " bytes while it was read");
                }
                sender.append(buffer, 0, n);
                left -= n;
            }
            tags.put(key.get(), sender.finish());
            figures = figures.plus(sender.figures());
            waitNanos += sender.waitNanos();
            bytes += size;
            return key.get();
        } catch (InterruptedException e) {
            throw Tasks.interrupted("Interrupted while a file was stored");
        } finally {
            current = List.of();
        }
    }

    private static boolean isNoise(Path path, long size) throws IOException {
        byte[] sample = new byte[SAMPLE_BYTES];
        try (InputStream in = Files.newInputStream(path)) {
            for (int i = 0; i < SAMPLES; i++) {
                in.skipNBytes(size / SAMPLES - SAMPLE_BYTES);
                if (in.readNBytes(sample, 0, SAMPLE_BYTES) < SAMPLE_BYTES
                        || ContentClassifier.classify(sample, SAMPLE_BYTES) != ContentClass.NOISE) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Adds these objects to what was sent of all other files. */
    StoreSender.Stored addTo(SendReport report, List<String> tagsOfOthers, StoreFigures requests) {
        CodecUsage usage = new CodecUsage(CodecLevel.UNCOMPRESSED, figures.nanos().length, bytes, bytes, 0);
        SendReport all = bytes == 0 ? report : report.plus(usage, 0, 0);
        return new StoreSender.Stored(all, tagsOfOthers, tags, figures.plus(requests));
    }

    /** Returns the time spent waiting until the store has parts, nanoseconds. */
    long waitNanos() {
        return waitNanos;
    }

    /** Returns the sender of the object that is being stored, if there is one. Any thread may call this. */
    List<PartSender> current() {
        return current;
    }

    /** Returns the length of all complete objects. Any thread may call this. */
    long bytes() {
        return bytes;
    }
}
