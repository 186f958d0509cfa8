package io.jenkins.plugins.compressionaware.receive;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.codec.CorruptFrameException;
import io.jenkins.plugins.compressionaware.codec.Envelope;
import io.jenkins.plugins.compressionaware.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.stored.StoredFrames;
import io.jenkins.plugins.compressionaware.tar.Helpers;
import io.jenkins.plugins.compressionaware.tar.TarUnpacker;
import java.io.FilterInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Executor;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The tar that a file of frames holds, each block verified before any of its bytes is given. Read by one thread. Leaves the file open. */
@Restricted(NoExternalUse.class)
public final class StoredTar extends FilterInputStream {
    private final DecodeAhead blocks;

    /** @param executor decodes up to three blocks at a time */
    public StoredTar(StoredFrames file, Executor executor) {
        this(file, executor, new Progress());
    }

    private StoredTar(StoredFrames file, Executor executor, Progress progress) {
        this(new DecodeAhead(new FromFile(file, progress), executor, file.blockSize()));
    }

    private StoredTar(DecodeAhead blocks) {
        super(new BlockInputStream(blocks));
        this.blocks = blocks;
    }

    /**
     * Unpacks a file into a folder on the same machine, the controller, all of it or nothing.
     *
     * @param temp     see {@link WorkspaceLanding}
     * @param executor runs what waits for the disk, and decodes up to three blocks at a time
     * @param progress is told of each block
     */
    public static ReceiveReport unpack(
            StoredFrames file, Path folder, @CheckForNull String temp, Executor executor, Progress progress)
            throws IOException, InterruptedException {
        return new Aside(executor).call(() -> unpackHere(file, folder, temp, executor, progress));
    }

    private static ReceiveReport unpackHere(
            StoredFrames file, Path folder, @CheckForNull String temp, Executor executor, Progress progress)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        try (HeapBudget.Account heap = HeapBudget.ofThisJvm().open((long) DecodeAhead.AHEAD * file.blockSize(), 0);
                WorkspaceLanding landing = new WorkspaceLanding(folder, temp, false, new Helpers(executor, heap));
                StoredTar tar = new StoredTar(file, executor, progress)) {
            TarUnpacker unpacker = landing.unpack(tar);
            return new ReceiveReport(
                    unpacker.entries(),
                    unpacker.contentBytes(),
                    file.rawBytes(),
                    file.wireBytes(),
                    0,
                    tar.blocks.decodeNanos(),
                    System.nanoTime() - start - tar.blocks.awaitedNanos(),
                    -1,
                    landing.warnings(),
                    unpacker.writers());
        }
    }

    @Override
    public void close() {
        blocks.close();
    }

    private static final class FromFile implements FrameSupply {
        private final StoredFrames file;
        private final Progress progress;
        private final byte[] prefix = new byte[Envelope.GZIP_EXTRA_FIELD.prefixLength()];
        private long position;
        private long number;
        private boolean over;

        FromFile(StoredFrames file, Progress progress) {
            this.file = file;
            this.progress = progress;
        }

        @Override
        public ArrivedFrame poll() throws IOException {
            return over ? null : take();
        }

        @Override
        public ArrivedFrame take() throws IOException {
            int there = (int) Math.min(prefix.length, file.wireBytes() - position);
            file.read(position, prefix, 0, there);
            Envelope envelope = Envelope.startingWith(prefix[0]);
            FrameHeader header = envelope.read(prefix);
            FrameLimits.check(header, file.blockSize());
            if (header.sequence() != number++) {
                throw new CorruptFrameException("frame " + header.sequence() + " after frame " + (number - 2));
            }
            byte[] frame = Arrays.copyOf(prefix, envelope.prefixLength() + header.bodyLength());
            file.read(position, frame, 0, frame.length);
            position += frame.length;
            over = header.last();
            return new ArrivedFrame(header, frame);
        }

        @Override
        public void consumed(ArrivedFrame frame) {
            progress.consumed(frame.header());
        }
    }
}
