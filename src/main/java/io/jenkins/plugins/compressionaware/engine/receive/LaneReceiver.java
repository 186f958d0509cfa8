package io.jenkins.plugins.compressionaware.engine.receive;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.jenkins.plugins.compressionaware.engine.codec.CorruptFrameException;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import java.io.IOException;
import java.io.OutputStream;

/**
 * The receiving end of a stream: assembles written bytes into frames. Writes arrive on Remoting's one thread for all streams, so they only copy
 * memory and never block; otherwise console output would wait, too. Thread-safe.
 */
final class LaneReceiver extends OutputStream {
    private final FrameReorderBuffer queue;

    @GuardedBy("this")
    private final FrameAssembler frames;

    /** Whether each frame must follow the previous one directly, because nothing else sends. */
    private final boolean sequential;

    @GuardedBy("this")
    private long previous;

    @GuardedBy("this")
    private boolean ended;

    LaneReceiver(FrameReorderBuffer queue, int maxBlock) {
        this(queue, maxBlock, -1, false);
    }

    private LaneReceiver(FrameReorderBuffer queue, int maxBlock, long previous, boolean sequential) {
        this.queue = queue;
        this.previous = previous;
        this.sequential = sequential;
        frames = new FrameAssembler(maxBlock, this::admit);
    }

    /** Creates a lane for all of the next frames, without a gap, so that each of them can be consumed. */
    static LaneReceiver sequential(FrameReorderBuffer queue, int maxBlock) {
        return new LaneReceiver(queue, maxBlock, queue.count() - 1, true);
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    /**
     * Adds bytes to the current frame and queues the frame once it is complete.
     *
     * @throws IOException if the bytes are damaged or the transfer has ended; Remoting reports this to the sender
     */
    @Override
    public synchronized void write(byte[] chunk, int offset, int length) throws IOException {
        try {
            for (int done = 0; done < length; ) {
                int n = Math.min(length - done, frames.wanted());
                if (frames.target() != null) {
                    System.arraycopy(chunk, offset + done, frames.target(), frames.position(), n);
                }
                done += n;
                if (frames.advance(n)) {
                    put(frames.take());
                }
            }
        } catch (Throwable e) { // Remoting reports only an IOException
            queue.fail(e);
            throw e;
        }
    }

    private synchronized boolean admit(FrameHeader header, int length) throws IOException {
        if (!queue.allowsReordering()) { // frames that a direct lane returned may come in any order, and follow the end
            // frame
            if (ended) {
                throw new CorruptFrameException("more data after the end frame");
            }
            // without this check, after a damaged number the reader would wait for a frame and the sender for credit
            long sequence = header.sequence();
            if (sequential ? sequence != previous + 1 : sequence <= previous) {
                throw new CorruptFrameException("block " + sequence + " after block " + previous);
            }
        }
        previous = header.sequence();
        ended = header.isEndFrame();
        return queue.reserve(header.sequence(), length);
    }

    @GuardedBy("this")
    private void put(ReceivedFrame frame) throws IOException {
        if (frame != null) {
            queue.put(frame);
        }
    }

    /** Releases the incomplete frame, because the lane itself may stay referenced. */
    @Override
    public synchronized void close() {
        frames.clear();
    }
}
