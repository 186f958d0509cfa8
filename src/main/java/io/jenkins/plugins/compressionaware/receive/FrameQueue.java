package io.jenkins.plugins.compressionaware.receive;

import io.jenkins.plugins.compressionaware.transfer.Credit;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Frames that have arrived, to be taken in the order of their sequence numbers. Lanes put, one thread takes. */
final class FrameQueue {
    /** How often a waiting reader looks after the sender, milliseconds. */
    private static final long LOOK_AFTER_SENDER = 500;

    /** By number; null for a frame that is still arriving. */
    private final Map<Long, ArrivedFrame> frames = new HashMap<>();

    private final long lookAfterSender;
    private long limit;
    private long announced;
    private long next;
    private long arrived;
    private long repeated;
    private boolean repeats;
    private IOException failure;

    /** @param limit {@link #allow} */
    FrameQueue(long limit) {
        this(limit, LOOK_AFTER_SENDER);
    }

    /** @param lookAfterSender how often a waiting reader looks after the sender, milliseconds */
    FrameQueue(long limit, long lookAfterSender) {
        this.limit = limit;
        this.lookAfterSender = lookAfterSender;
    }

    /**
     * From now on a frame may come again, as one does whose receipt was lost: as many bytes in all as have come once, and one window, so that a
     * sender which only repeats comes to an end. And one lane may send what another gave back after what it sent itself.
     */
    synchronized void expectRepeats() {
        repeats = true;
    }

    synchronized boolean anyOrder() {
        return repeats;
    }

    /** All frames since the start may take up so much, by {@link Credit#heapOf}. To be called before the sender hears of it. */
    synchronized void allow(long heap) {
        limit = heap;
    }

    /** Throws if nothing is accepted any more. */
    synchronized void checkOpen() throws IOException {
        if (failure != null) {
            throw new IOException("The transfer is over: " + failure.getMessage());
        }
    }

    /**
     * A frame is going to be put, and memory may be taken for it now.
     *
     * @param length bytes of the whole frame
     * @return false if it is there or on its way already: it is to be left out
     * @throws IOException if it may not be sent
     */
    synchronized boolean announce(long sequence, int length) throws IOException {
        checkOpen();
        if (sequence < next || frames.containsKey(sequence)) {
            repeated += length;
            if (repeats && repeated <= Credit.WINDOW + arrived) {
                return false;
            }
            throw new IOException("Block " + sequence + " was sent twice");
        }
        if (announced + Credit.heapOf(length) > limit) {
            throw new IOException("The sender does not wait until its bytes are consumed");
        }
        announced += Credit.heapOf(length);
        arrived += length;
        frames.put(sequence, null);
        return true;
    }

    /** A frame that was announced is there. */
    synchronized void put(ArrivedFrame frame) throws IOException {
        checkOpen();
        frames.put(frame.header().sequence(), frame);
        notifyAll();
    }

    /** The next frame, or null if it has not arrived. */
    synchronized ArrivedFrame poll() throws IOException {
        if (failure != null) {
            throw new IOException("Damaged transfer: " + failure.getMessage(), failure);
        }
        ArrivedFrame frame = frames.get(next);
        if (frame != null) {
            frames.remove(next);
            next++;
        }
        return frame;
    }

    /** Waits for the next frame as long as the sender is well. */
    ArrivedFrame take(SenderWatch watch) throws IOException, InterruptedException {
        while (true) {
            synchronized (this) {
                ArrivedFrame frame = poll();
                if (frame == null) {
                    wait(lookAfterSender);
                    frame = poll();
                }
                if (frame != null) {
                    return frame;
                }
            }
            try {
                watch.check();
            } catch (IOException e) {
                // the sender may have finished after the look into the queue
                ArrivedFrame frame = poll();
                if (frame != null) {
                    return frame;
                }
                throw e;
            }
        }
    }

    /** Ends the transfer for both sides; the first reason counts. */
    synchronized void fail(IOException reason) {
        if (failure == null) {
            failure = reason;
            frames.clear();
            notifyAll();
        }
    }
}
