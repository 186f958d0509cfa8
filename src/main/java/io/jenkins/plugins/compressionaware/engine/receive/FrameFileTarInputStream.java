package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import io.jenkins.plugins.compressionaware.engine.run.InterruptibleDiskTask;
import io.jenkins.plugins.compressionaware.engine.tar.TarUnpacker;
import io.jenkins.plugins.compressionaware.engine.tar.Workspace;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Reads the tar in a frame file, and returns only bytes of verified blocks. Does not close the file. Not thread-safe. */
@Restricted(NoExternalUse.class)
public final class FrameFileTarInputStream extends BlockInputStream {
    /** Accepts the verified frames of a file. */
    @FunctionalInterface
    public interface FrameConsumer {
        /**
         * Accepts one frame. The arrays are reused after this method returns.
         *
         * @param frame the whole frame as stored, which is verified with its block
         * @param block begins with the frame's block
         * @return whether to continue with the next frame
         */
        boolean accept(FrameHeader header, byte[] frame, byte[] block) throws IOException;
    }

    /** @param executor decodes up to three blocks in parallel */
    public FrameFileTarInputStream(FrameFile file, Executor executor) {
        super(blocks(file, executor, new ReceiveProgress()));
    }

    private static DecodePipeline blocks(FrameFile file, Executor executor, ReceiveProgress progress) {
        AtomicLong position = new AtomicLong();
        FrameParser.Source fromStart = (target, offset, length, mayWait) -> {
            int n = (int) Math.min(length, file.wireBytes() - position.get());
            file.read(position.getAndAdd(n), target, offset, n);
            return n;
        };
        FrameParser frames = new FrameParser(fromStart, file.blockSize(), file.selected());
        return new DecodePipeline(frames, executor, file.blockSize(), progress);
    }

    /**
     * Passes the frames of a file to a consumer in order, up to the end frame or until the consumer returns false.
     *
     * @param executor decodes up to three blocks in parallel
     */
    public static void forEachFrame(FrameFile file, Executor executor, FrameConsumer consumer)
            throws IOException, InterruptedException {
        try (DecodePipeline blocks = blocks(file, executor, new ReceiveProgress())) {
            DecodePipeline.Block block;
            do {
                block = blocks.next();
            } while (consumer.accept(block.frame().header(), block.frame().bytes(), block.raw()) && !block.last());
        }
    }

    /** Reads and verifies the whole file. Returns false if a block of it is damaged or missing. */
    public static boolean isIntact(FrameFile file, Executor executor) {
        try (FrameFileTarInputStream tar = new FrameFileTarInputStream(file, executor)) {
            tar.transferTo(OutputStream.nullOutputStream());
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Unpacks a frame file on the controller into a directory of the controller.
     *
     * @param executor runs blocking disk work, and decodes up to three blocks in parallel
     * @param progress updated for each block
     */
    public static ReceiveReport unpack(FrameFile file, Path folder, Executor executor, ReceiveProgress progress)
            throws IOException, InterruptedException {
        return new InterruptibleDiskTask(executor).call(() -> unpackHere(file, folder, executor, progress));
    }

    private static ReceiveReport unpackHere(FrameFile file, Path folder, Executor executor, ReceiveProgress progress)
            throws IOException, InterruptedException {
        try (HeapBudget.Reservation heap =
                        HeapBudget.ofThisJvm().open((long) DecodePipeline.READ_AHEAD_BLOCKS * file.blockSize(), 0);
                TarUnpacker unpacker =
                        new TarUnpacker(new Workspace(folder, false), null, new DiskHelpers(executor, heap));
                DecodePipeline blocks = blocks(file, executor, progress)) {
            unpacker.unpack(new BlockInputStream(blocks));
            Figures figures = blocks.figures(unpacker.entries(), unpacker.contentBytes(), 0, -1);
            return new ReceiveReport(figures, unpacker.warnings(), unpacker.writers());
        }
    }

    @Override
    public void close() {
        blocks.close();
    }
}
