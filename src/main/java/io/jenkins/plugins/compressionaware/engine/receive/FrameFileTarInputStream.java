package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.tar.WorkerResources;
import io.jenkins.plugins.compressionaware.engine.tar.Workspace;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The tar in a file of frames, each block verified before any of its bytes is returned. Read by one thread. Leaves the file open. */
@Restricted(NoExternalUse.class)
public final class FrameFileTarInputStream extends BlockInputStream {
    /** @param executor decodes up to three blocks at a time */
    public FrameFileTarInputStream(FrameFile file, Executor executor) {
        super(blocks(file, executor, new ReceiveProgress()));
    }

    private static DecodePipeline blocks(FrameFile file, Executor executor, ReceiveProgress progress) {
        FrameParser frames = new FrameParser(new FromStart(file), file.blockSize());
        return new DecodePipeline(frames, executor, file.blockSize(), progress);
    }

    /**
     * Unpacks a file into a folder on the same machine, the controller.
     *
     * @param executor runs work that waits for the disk, and decodes up to three blocks at a time
     * @param progress told of each block
     */
    public static ReceiveReport unpack(FrameFile file, Path folder, Executor executor, ReceiveProgress progress)
            throws IOException, InterruptedException {
        return new InterruptibleDiskTask(executor).call(() -> unpackHere(file, folder, executor, progress));
    }

    private static ReceiveReport unpackHere(FrameFile file, Path folder, Executor executor, ReceiveProgress progress)
            throws IOException, InterruptedException {
        try (HeapBudget.Reservation heap =
                        HeapBudget.ofThisJvm().open((long) DecodePipeline.READ_AHEAD_BLOCKS * file.blockSize(), 0);
                Destination landing =
                        TreeDestination.workspace(new Workspace(folder, false), new WorkerResources(executor, heap));
                DecodePipeline blocks = blocks(file, executor, progress)) {
            landing.receive(blocks);
            return blocks.report(landing, landing.commit(), 0, -1);
        }
    }

    @Override
    public void close() {
        blocks.close();
    }

    private static final class FromStart implements FrameParser.Source {
        /** Bytes per read. */
        private static final int CHUNK = 128 * 1024;

        private final FrameFile file;
        private long position;

        FromStart(FrameFile file) {
            this.file = file;
        }

        @Override
        public boolean writeTo(OutputStream frames, boolean mayWait) throws IOException {
            int length = (int) Math.min(CHUNK, file.wireBytes() - position);
            file.write(position, length, frames);
            position += length;
            return length > 0;
        }
    }
}
