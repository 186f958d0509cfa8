package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.store.ObjectPart;
import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import io.jenkins.plugins.compressionaware.engine.store.PartSender;
import io.jenkins.plugins.compressionaware.engine.store.SignedRequest;
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
import java.util.function.Consumer;
import java.util.zip.Deflater;

/** Stores large files that do not compress as objects of their own, so that browsers can download them from the store. Used by one thread. */
final class OwnObjects implements EntryEncoder {
    static final long MIN_BYTES = 64 << 20;

    private static final int SAMPLES = 4;
    private static final int SAMPLE_BYTES = 64 * 1024;
    private static final double NOISE = 0.97;
    private static final int BUFFER = 128 * 1024;

    private final StoreUpload upload;
    private final TransferThreads threads;
    private final Consumer<LaneWrite> measured;
    private final long minBytes;
    private final Map<String, List<String>> tags = new HashMap<>();
    private StoreFigures figures = new StoreFigures(new long[0], 0);
    private volatile long bytes;

    OwnObjects(StoreUpload upload, TransferThreads threads, Consumer<LaneWrite> measured, long minBytes) {
        this.upload = upload;
        this.threads = threads;
        this.measured = measured;
        this.minBytes = minBytes;
    }

    /** Signs the parts of one object, which it begins with the first of them. Called by the thread that signs. */
    private static final class Upload implements StoreUpload {
        private final StoreUpload all;
        private final String name;
        private volatile String key;

        Upload(StoreUpload all, String name) {
            this.all = all;
            this.name = name;
        }

        @Override
        public PartChecksum checksum() {
            return all.checksum();
        }

        @Override
        public SignedRequest[] sign(ObjectPart[] parts) throws IOException {
            if (key == null) {
                key = all.begin(name);
            }
            ObjectPart[] own = new ObjectPart[parts.length];
            for (int i = 0; i < parts.length; i++) {
                own[i] = parts[i].of(key);
            }
            return all.sign(own);
        }

        @Override
        public byte[] end(byte[] listing) {
            throw new IllegalStateException("An object of its own has no list");
        }
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
        Upload own = new Upload(upload, name);
        try (PartSender sender = new PartSender(own, threads, measured)) {
            byte[] buffer = new byte[BUFFER];
            for (long left = size; left > 0; ) {
                int n = in.read(buffer, 0, (int) Math.min(buffer.length, left));
                if (n < 0) {
                    throw new EOFException("Cannot archive " + path + ": it shrank while it was read");
                }
                sender.append(buffer, 0, n);
                bytes += n;
                left -= n;
            }
            tags.put(own.key, sender.finish());
            figures = figures.plus(sender.figures());
            return own.key;
        } catch (InterruptedException e) {
            throw Tasks.interrupted("Interrupted while a file was stored");
        }
    }

    private static boolean isNoise(Path path, long size) throws IOException {
        byte[] sample = new byte[SAMPLE_BYTES];
        byte[] deflated = new byte[2 * SAMPLE_BYTES];
        long all = 0;
        Deflater deflater = new Deflater(Deflater.BEST_SPEED);
        try (InputStream in = Files.newInputStream(path)) {
            for (int i = 0; i < SAMPLES; i++) {
                in.skipNBytes(size / SAMPLES - SAMPLE_BYTES);
                if (in.readNBytes(sample, 0, SAMPLE_BYTES) < SAMPLE_BYTES) {
                    return false;
                }
                deflater.reset();
                deflater.setInput(sample);
                deflater.finish();
                all += deflater.deflate(deflated);
            }
        } finally {
            deflater.end();
        }
        return all > NOISE * SAMPLES * SAMPLE_BYTES;
    }

    /** Returns the tags of all parts, by the key of their object. */
    Map<String, List<String>> tags() {
        return tags;
    }

    StoreFigures figures() {
        return figures;
    }

    /** Returns the number of bytes read so far. */
    long bytes() {
        return bytes;
    }
}
