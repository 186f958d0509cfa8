package io.jenkins.plugins.compressionaware.engine.receive;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.run.FirstFailure;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** A reorder buffer: lanes add frames as they arrive, and one thread removes the frames in sequence order. Thread-safe. */
final class FrameReorderBuffer {
    /** Milliseconds after which a waiting reader looks after its grants. */
    private static final long SILENCE_MILLIS = 500;

    /** Frames by sequence number; null for a frame that is still being received. */
    @GuardedBy("this")
    private final Map<Long, ReceivedFrame> frames = new HashMap<>();

    private final long silenceMillis;

    @GuardedBy("this")
    private long limit;

    @GuardedBy("this")
    private long reserved;

    @GuardedBy("this")
    private long next;

    @GuardedBy("this")
    private long count;

    @GuardedBy("this")
    private long arrived;

    @GuardedBy("this")
    private long duplicateBytes;

    @GuardedBy("this")
    private boolean duplicatesAllowed;

    @GuardedBy("this")
    private IOException senderEnded;

    @GuardedBy("this")
    private final FirstFailure failed = new FirstFailure("", "receiving");

    /** @param limit see {@link #setLimit} */
    FrameReorderBuffer(long limit) {
        this(limit, SILENCE_MILLIS);
    }

    /** @param silenceMillis milliseconds after which a waiting reader looks after its grants */
    FrameReorderBuffer(long limit, long silenceMillis) {
        this.limit = limit;
        this.silenceMillis = silenceMillis;
    }

    /** Counts the heap of frames that were consumed from an earlier sender. */
    synchronized FrameReorderBuffer after(long consumed) {
        reserved = consumed;
        return this;
    }

    /**
     * Allows frames to arrive twice, for example after a lost receipt, and a lane to send earlier frames that a direct lane returned. Duplicates are limited to
     * the bytes received once plus one window, so that endless repetition fails.
     */
    synchronized void allowDuplicates() {
        duplicatesAllowed = true;
    }

    synchronized boolean allowsReordering() {
        return duplicatesAllowed;
    }

    /** Sets the heap that all frames since the start may occupy, by {@link Credit#heapCost}, bytes. Called before the grant is sent. */
    synchronized void setLimit(long heap) {
        limit = heap;
    }

    /** Returns the heap that all frames since the start may occupy, bytes. */
    synchronized long limit() {
        return limit;
    }

    /** Throws an exception if the transfer has failed or ended. */
    synchronized void checkOpen() throws IOException {
        IOException failure = failed.get();
        if (failure != null) {
            throw new IOException("The transfer is over: " + failure.getMessage());
        }
    }

    /**
     * Reserves heap for a frame before memory is allocated for it.
     *
     * @param length of the whole frame, bytes
     * @return false if the frame is a duplicate and must be skipped
     * @throws IOException if the frame exceeds the credit or is a duplicate that is not allowed, or if the transfer has ended
     */
    synchronized boolean reserve(long sequence, int length) throws IOException {
        checkOpen();
        if (sequence < next || frames.containsKey(sequence)) {
            duplicateBytes += length;
            if (duplicatesAllowed && duplicateBytes <= Credit.WINDOW + arrived) {
                return false;
            }
            throw new IOException("Block " + sequence + " was sent twice");
        }
        if (reserved + Credit.heapCost(length) > limit) {
            throw new IOException("The sender does not wait until its bytes are consumed");
        }
        reserved += Credit.heapCost(length);
        arrived += length;
        count++;
        frames.put(sequence, null);
        return true;
    }

    /** Adds a frame for which {@link #reserve} returned true. */
    synchronized void put(ReceivedFrame frame) throws IOException {
        checkOpen();
        frames.put(frame.header().sequence(), frame);
        notifyAll();
    }

    /** Removes and returns the next frame; null if it has not arrived. */
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

    /**
     * Waits for the next frame; removes and returns it.
     *
     * @param onSilence called every half second while there is none, without a lock
     */
    ReceivedFrame take(Runnable onSilence) throws IOException, InterruptedException {
        while (true) {
            synchronized (this) {
                ReceivedFrame frame = poll();
                if (frame == null) {
                    if (senderEnded != null) {
                        throw senderEnded;
                    }
                    wait(silenceMillis);
                    frame = poll();
                }
                if (frame != null) {
                    return frame;
                }
            }
            onSilence.run();
        }
    }

    /** Reports that the sender has ended. The reader still gets the frames that have arrived, and then this failure, if it waits for more. */
    synchronized void endOfSender(IOException reason) {
        senderEnded = reason;
        notifyAll();
    }

    /** Returns the number of frames that have arrived or are arriving since the start, without duplicates. */
    synchronized long count() {
        return count;
    }

    /** Returns whether a frame has begun to arrive and is not complete. */
    synchronized boolean isInFrame() {
        return frames.containsValue(null);
    }

    /** Returns the heap of these frames, consumed or not, by {@link Credit#heapCost}, bytes. */
    synchronized long heap() {
        return reserved;
    }

    /** Fails the transfer for the reader and all lanes; only the first reason is kept. Never throws. */
    synchronized void fail(Throwable reason) {
        if (failed.set(reason)) {
            frames.clear();
            notifyAll();
        }
    }
}
