package io.jenkins.plugins.compressionaware.engine.receive;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.jenkins.plugins.compressionaware.engine.codec.CorruptFrameException;
import io.jenkins.plugins.compressionaware.engine.codec.FrameEnvelope;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import java.io.IOException;
import java.io.OutputStream;

/**
 * The receiving end of a stream: assembles written bytes into frames. Writes arrive on Remoting's one thread for all streams, so they only copy
 * memory and never block; otherwise console output would wait, too. Thread-safe.
 */
final class LaneReceiver extends OutputStream {
    private final FrameReorderBuffer queue;
    private final int maxBlock;
    private final boolean allFrames;

    @GuardedBy("this")
    private final byte[] prefix = new byte[64];

    @GuardedBy("this")
    private int prefixFilled;

    @GuardedBy("this")
    private FrameHeader header;

    /** The frame being assembled; null while a frame is skipped. */
    @GuardedBy("this")
    private byte[] frame;

    /** Array of a consumed frame, for reuse; null if there is none. */
    @GuardedBy("this")
    private byte[] spare;

    @GuardedBy("this")
    private int frameLength;

    @GuardedBy("this")
    private int filled;

    @GuardedBy("this")
    private long previous = -1;

    @GuardedBy("this")
    private boolean ended;

    LaneReceiver(FrameReorderBuffer queue, int maxBlock) {
        this(queue, maxBlock, false);
    }

    /** @param allFrames whether this stream carries all frames, so that no number may be missing; otherwise other lanes carry some of the frames */
    LaneReceiver(FrameReorderBuffer queue, int maxBlock, boolean allFrames) {
        this.queue = queue;
        this.maxBlock = maxBlock;
        this.allFrames = allFrames;
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
            int done = 0;
            while (done < length) {
                done += header == null
                        ? takePrefix(chunk, offset + done, length - done)
                        : takeBody(chunk, offset + done, length - done);
            }
        } catch (Throwable e) { // Remoting reports only an IOException
            queue.fail(e);
            throw e;
        }
    }

    @GuardedBy("this")
    private int takePrefix(byte[] chunk, int offset, int length) throws IOException {
        if (ended && !queue.allowsReordering()) { // frames that a direct lane returned may follow the end frame
            throw new CorruptFrameException("more data after the end frame");
        }
        FrameEnvelope envelope = FrameEnvelope.forFirstByte(prefixFilled == 0 ? chunk[offset] : prefix[0]);
        int n = Math.min(length, envelope.prefixLength() - prefixFilled);
        System.arraycopy(chunk, offset, prefix, prefixFilled, n);
        prefixFilled += n;
        if (prefixFilled == envelope.prefixLength()) {
            header = envelope.read(prefix);
            checkOrder(header);
            header.checkLimits(maxBlock);
            frameLength = prefixFilled + header.bodyLength();
            filled = prefixFilled;
            frame = queue.reserve(header.sequence(), frameLength) ? array() : null;
        }
        return n;
    }

    @GuardedBy("this")
    private byte[] array() {
        byte[] array = spare != null && spare.length == frameLength ? spare : new byte[frameLength];
        spare = null;
        System.arraycopy(prefix, 0, array, 0, prefixFilled);
        return array;
    }

    /** Accepts the array of a consumed frame for reuse, because the next frame usually has the same length. */
    synchronized void recycle(byte[] consumed) {
        spare = consumed;
    }

    // without this check, after a damaged number the reader would wait for a frame and the sender for credit
    @GuardedBy("this")
    private void checkOrder(FrameHeader announced) throws CorruptFrameException {
        boolean inOrder = allFrames ? announced.sequence() == previous + 1 : announced.sequence() > previous;
        if (!inOrder && !queue.allowsReordering()) {
            throw new CorruptFrameException("block " + announced.sequence() + " after block " + previous);
        }
        previous = announced.sequence();
    }

    @GuardedBy("this")
    private int takeBody(byte[] chunk, int offset, int length) throws IOException {
        int n = Math.min(length, frameLength - filled);
        if (frame != null) {
            System.arraycopy(chunk, offset, frame, filled, n);
        }
        filled += n;
        if (filled == frameLength) {
            if (frame != null) {
                queue.put(new ReceivedFrame(header, frame));
            }
            ended = header.isEndFrame();
            header = null;
            frame = null;
            prefixFilled = 0;
        }
        return n;
    }

    /** Releases the incomplete frame, because the lane itself may stay referenced. */
    @Override
    public synchronized void close() {
        frame = null;
    }
}
