package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.lane.FirstFailure;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Frames that have arrived, taken in the order of their sequence numbers. Lanes put frames, one thread takes them. */
final class FrameReorderBuffer {
    /** Milliseconds between a waiting reader's checks on the sender. */
    private static final long LIVENESS_CHECK_MILLIS = 500;

    /** By number; null for a frame that is still arriving. */
    private final Map<Long, ReceivedFrame> frames = new HashMap<>();

    private final long lookAfterSender;
    private long limit;
    private long announced;
    private long next;
    private long arrived;
    private long repeated;
    private boolean repeats;
    private final FirstFailure failed = new FirstFailure("", "receiving");

    /** @param limit see {@link #setLimit} */
    FrameReorderBuffer(long limit) {
        this(limit, LIVENESS_CHECK_MILLIS);
    }

    /** @param lookAfterSender milliseconds between a waiting reader's checks on the sender */
    FrameReorderBuffer(long limit, long lookAfterSender) {
        this.limit = limit;
        this.lookAfterSender = lookAfterSender;
    }

    /**
     * From now on a frame may come again, for example if its receipt was lost: as many bytes as have come once, and one window, so that a sender
     * that only repeats comes to an end. A lane may also send, after its own frames, earlier ones that another gave back.
     */
    synchronized void allowDuplicates() {
        repeats = true;
    }

    synchronized boolean allowsReordering() {
        return repeats;
    }

    /** Lets all frames since the start take up this much heap, by {@link Credit#heapCost}. Called before the sender hears of it. */
    synchronized void setLimit(long heap) {
        limit = heap;
    }

    /** Throws if nothing is accepted any more. */
    synchronized void checkOpen() throws IOException {
        if (failed.get() != null) {
            throw new IOException("The transfer is over: " + failed.get().getMessage());
        }
    }

    /**
     * Announces a frame that will be put, before memory is taken for it.
     *
     * @param length bytes of the whole frame
     * @return false if the frame is there or on its way already, and has to be skipped
     * @throws IOException if it may not be sent
     */
    synchronized boolean reserve(long sequence, int length) throws IOException {
        checkOpen();
        if (sequence < next || frames.containsKey(sequence)) {
            repeated += length;
            if (repeats && repeated <= Credit.WINDOW + arrived) {
                return false;
            }
            throw new IOException("Block " + sequence + " was sent twice");
        }
        if (announced + Credit.heapCost(length) > limit) {
            throw new IOException("The sender does not wait until its bytes are consumed");
        }
        announced += Credit.heapCost(length);
        arrived += length;
        frames.put(sequence, null);
        return true;
    }

    /** Puts a frame that was announced. */
    synchronized void put(ReceivedFrame frame) throws IOException {
        checkOpen();
        frames.put(frame.header().sequence(), frame);
        notifyAll();
    }

    /** The next frame, or null if it has not arrived. */
    synchronized ReceivedFrame poll() throws IOException {
        IOException failure = failed.get();
        if (failure != null) {
            throw new IOException("Damaged transfer: " + failure.getMessage(), failure);
        }
        ReceivedFrame frame = frames.get(next);
        if (frame != null) {
            frames.remove(next);
            next++;
        }
        return frame;
    }

    /** Waits for the next frame as long as the watch lets it. */
    ReceivedFrame take(SenderLiveness watch) throws IOException, InterruptedException {
        while (true) {
            synchronized (this) {
                ReceivedFrame frame = poll();
                if (frame == null) {
                    wait(lookAfterSender);
                    frame = poll();
                }
                if (frame != null) {
                    return frame;
                }
            }
            try {
                watch.checkAlive();
            } catch (IOException e) {
                // the sender may have finished after the look into the queue
                ReceivedFrame frame = poll();
                if (frame != null) {
                    return frame;
                }
                throw e;
            }
        }
    }

    /** Ends the transfer for both sides; the first reason counts. Never throws. */
    synchronized void fail(Throwable reason) {
        if (failed.set(reason)) {
            frames.clear();
            notifyAll();
        }
    }
}
