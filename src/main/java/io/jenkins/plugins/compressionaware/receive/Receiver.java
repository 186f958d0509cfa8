package io.jenkins.plugins.compressionaware.receive;

import io.jenkins.plugins.compressionaware.tar.StagedTree;
import io.jenkins.plugins.compressionaware.tar.TarUnpacker;
import io.jenkins.plugins.compressionaware.transfer.ThreadTimes;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.Executor;

/**
 * The controller's end of a transfer: receives into a folder beside the archive, then moves everything into place at once. What fails
 * before leaves the archive as it was. One thread calls {@link #receive} and {@link #commit}; any thread may write to a lane.
 */
public final class Receiver implements Closeable {
    private final FrameQueue queue = new FrameQueue();
    private final int maxBlock;
    private final Executor executor;
    private final TarUnpacker unpacker;
    private final StagedTree staged;

    /**
     * @param archive  folder to receive into; need not exist
     * @param names    the names to accept, each once
     * @param maxBlock largest block to accept, in bytes: the sender's block size
     * @param executor runs the decoding of up to three blocks at a time
     */
    public Receiver(Path archive, Set<String> names, int maxBlock, Executor executor) throws IOException {
        this.maxBlock = maxBlock;
        this.executor = executor;
        staged = new StagedTree(archive);
        try {
            unpacker = new TarUnpacker(staged.folder(), names);
        } catch (IOException e) {
            staged.close();
            throw e;
        }
    }

    /** A new way in for chunks of frames. Writing to it never waits; it fails once the transfer has failed or is over. */
    public OutputStream newLane() {
        return new LaneReceiver(queue, maxBlock);
    }

    /** The way in for frames that come as requests. From now on frames may come twice and in any order. */
    public DirectReceiver direct() {
        queue.expectRepeats();
        return new DirectReceiver(queue, maxBlock);
    }

    /**
     * Unpacks what arrives until the end frame.
     *
     * @param credits leads to the sender's {@code credits}
     * @throws IOException          naming the entry where there is one, and the reason
     * @throws InterruptedException if the calling thread is interrupted
     */
    public ReceiveReport receive(OutputStream credits, SenderWatch watch) throws IOException, InterruptedException {
        long cpu = ThreadTimes.current();
        try (BlockInputStream blocks =
                new BlockInputStream(queue, watch, new CreditGrants(credits), executor, maxBlock)) {
            unpacker.unpack(blocks);
            return new ReceiveReport(
                    unpacker.entries(),
                    unpacker.contentBytes(),
                    blocks.rawBytes(),
                    blocks.wireBytes(),
                    blocks.waitingNanos(),
                    blocks.decodeNanos(),
                    cpu < 0 ? -1 : ThreadTimes.current() - cpu + blocks.decodeCpuNanos());
        } catch (IOException e) {
            queue.fail(e);
            if (Thread.interrupted()) {
                // whatever the interrupt broke off is not the reason
                throw new InterruptedException("Interrupted while receiving");
            }
            throw e;
        }
    }

    /** Moves what was received into the archive. */
    public void commit() throws IOException {
        staged.commit();
    }

    /** Refuses whatever still arrives and removes what was not committed. */
    @Override
    public void close() throws IOException {
        queue.fail(new IOException("the receiver is closed"));
        staged.close();
    }
}
