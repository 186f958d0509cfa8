package io.jenkins.plugins.compressionaware.engine.send;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.flow.CreditGate;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import io.jenkins.plugins.compressionaware.engine.send.FrameDispatcher.Batch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;

/**
 * Takes the next frames of a {@link FrameDispatcher} for a lane, within the receiver's credit. One lane at a time picks, and waits for the next frame and its
 * credit: the receiver consumes frames in order, so a later frame must not use credit that an earlier frame needs. Used by one thread at a time, without the
 * dispatcher's lock.
 */
final class FramePicker {
    /** Limit of the bytes for a stream, which gets one frame. */
    static final int STREAM = -1;

    /** Result for a stream that must first look for returned frames. */
    static final Batch AGAIN = new Batch(List.of(), 0, 0);

    /** Result for a stream that must first send what it has buffered, because the receiver may need that to consume anything. */
    static final Batch FLUSH = new Batch(List.of(), 0, 0);

    private final FrameDispatcher dispatcher;
    private final CreditGate gate;
    private final int capacity;
    private final LongSupplier clock;

    /** Credit that all picked frames use, bytes. Written by the picking thread, read by others. */
    private volatile long picked;

    /** @param capacity maximum number of frames per request */
    FramePicker(FrameDispatcher dispatcher, CreditGate gate, int capacity, LongSupplier clock) {
        this.dispatcher = dispatcher;
        this.gate = gate;
        this.capacity = capacity;
        this.clock = clock;
    }

    /** Returns the latest credit limit. Any thread may call this. */
    long credit() {
        return gate.limit();
    }

    /** Returns the credit that no picked frame uses, bytes. Any thread may call this. */
    long creditLeft() {
        return gate.left(picked);
    }

    /**
     * Waits for the next frame and its credit, and returns the frames for one lane; null after the last.
     *
     * @param start when the lane requested frames
     * @param otherWaitsForCredit whether another lane was waiting for credit at that time
     * @param most  maximum bytes for a direct lane; {@link #STREAM} for a stream
     * @param flushed whether the lane has buffered nothing; otherwise {@link #FLUSH} replaces each wait except for encoding, or up to 2 ms for a frame
     */
    Batch pick(long start, boolean otherWaitsForCredit, int most, boolean flushed)
            throws IOException, InterruptedException {
        boolean stream = most == STREAM;
        try {
            long began = clock.getAsLong();
            if (!flushed && dispatcher.isProducerIdle()) {
                return FLUSH;
            }
            EncodedFrame first = first(stream);
            if (first == null) {
                return stream && dispatcher.mayHaveMore() ? AGAIN : null;
            }
            long found = clock.getAsLong();
            if (!flushed && !isAllowed(first)) {
                return FLUSH;
            }
            if (!awaitCredit(first, stream)) {
                return AGAIN;
            }
            List<EncodedFrame> taken = new ArrayList<>(capacity);
            take(first, taken);
            for (int left = most - first.length(); left > 0 && taken.size() < capacity; ) {
                EncodedFrame next = next(left);
                if (next == null) {
                    break;
                }
                take(next, taken);
                left -= next.length();
            }
            if (!stream) {
                dispatcher.start(taken);
            }
            long before = began - start;
            return new Batch(
                    taken,
                    clock.getAsLong() - found + (otherWaitsForCredit ? before : 0),
                    found - began + (otherWaitsForCredit ? 0 : before));
        } catch (IOException
                | RuntimeException
                | Error e) { // with a full heap, frames may be lost that are no longer queued
            throw dispatcher.fail(e);
        } finally {
            dispatcher.endPicking();
        }
    }

    /** Returns null after the last frame, or if a stream should send a returned frame first. */
    @CheckForNull
    private EncodedFrame first(boolean stream) throws IOException, InterruptedException {
        Future<EncodedFrame> first = dispatcher.awaitNext(stream);
        return first == null ? null : encoded(first);
    }

    private EncodedFrame encoded(Future<EncodedFrame> frame) throws IOException, InterruptedException {
        try {
            return Tasks.awaitOrRun(frame);
        } catch (ExecutionException e) {
            throw dispatcher.fail(e.getCause());
        } catch (CancellationException e) {
            throw dispatcher.fail(e);
        }
    }

    private boolean isAllowed(EncodedFrame frame) throws IOException {
        return gate.allows(picked + Credit.heapCost(frame.length()));
    }

    /** Waits for credit. Returns false if a stream should send a returned frame first, because the credit may depend on such a frame. */
    private boolean awaitCredit(EncodedFrame frame, boolean stream) throws IOException, InterruptedException {
        if (isAllowed(frame)) {
            return true;
        }
        dispatcher.waitsForCredit(true);
        try {
            while (stream && !isAllowed(frame) && dispatcher.mayGetReturned()) {
                if (dispatcher.awaitReturned()) {
                    return false;
                }
            }
            gate.await(picked + Credit.heapCost(frame.length()));
            return true;
        } finally {
            dispatcher.waitsForCredit(false);
        }
    }

    /** Returns the next frame if it is encoded, has credit and has at most {@code most} bytes; otherwise null. */
    @CheckForNull
    private EncodedFrame next(int most) throws IOException, InterruptedException {
        Future<EncodedFrame> next = dispatcher.next();
        if (next == null || !next.isDone()) {
            return null;
        }
        EncodedFrame frame = encoded(next);
        return frame.length() <= most && isAllowed(frame) ? frame : null;
    }

    private void take(EncodedFrame frame, List<EncodedFrame> taken) throws IOException {
        dispatcher.remove();
        // one thread writes: no atomic addition is needed
        picked = picked + Credit.heapCost(frame.length());
        taken.add(frame);
    }
}
