package io.jenkins.plugins.compressionaware.engine.send;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneBalance;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.flow.CreditGate;
import io.jenkins.plugins.compressionaware.engine.run.FirstFailure;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import java.io.Flushable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;

/**
 * Distributes frames to free lanes, in sequence order and within the receiver's credit. One lane at a time, the picker, waits for the next frame and
 * its credit: the receiver consumes frames in order, so a later frame must not use credit that an earlier frame needs. Thread-safe; one lock guards all
 * state, and is released while a lane waits.
 */
final class FrameDispatcher {
    private static final int STREAM_LANE = -1;

    /** Milliseconds for which a stream's buffered bytes wait for the next frame. A packer that only reads files needs less time for a frame. */
    private static final long COALESCE_MILLIS = 2;

    /** Milliseconds after which a waiting lane looks for overdue requests, and whether it still rests. */
    private static final long POLL_MILLIS = 5;

    private final CreditGate gate;
    private final int capacity;
    private final LongSupplier clock;
    private final IOException closed = new IOException("the transfer is over");

    // used only by the picker
    private long picked;

    @GuardedBy("this")
    private final Deque<Future<EncodedFrame>> frames = new ArrayDeque<>();

    @GuardedBy("this")
    private final DirectRequests requests;

    /** Streams that have not ended. */
    @GuardedBy("this")
    private int streams;

    @GuardedBy("this")
    private boolean complete;

    @GuardedBy("this")
    private boolean picking;

    @GuardedBy("this")
    private boolean pickerWaitsForCredit;

    @GuardedBy("this")
    private final FirstFailure failure = new FirstFailure("Cannot send: ", "sending");

    /**
     * Frames for a lane.
     *
     * @param creditWaitNanos the lane's wait for credit, nanoseconds
     * @param frameWaitNanos  the lane's wait for a frame, nanoseconds
     */
    record Batch(List<EncodedFrame> frames, long creditWaitNanos, long frameWaitNanos) {
        /** Makes a stream look for frames that a direct lane has returned, or may return. */
        private static final Batch AGAIN = new Batch(List.of(), 0, 0);
    }

    /**
     * @param capacity maximum number of waiting frames, and of frames per request
     * @param clock    clock in nanoseconds
     * @param balance  decides which lanes get new frames; null if streams get none while direct lanes work
     */
    FrameDispatcher(CreditGate gate, int capacity, LongSupplier clock, @CheckForNull LaneBalance balance) {
        this.gate = gate;
        this.capacity = capacity;
        this.clock = clock;
        requests = new DirectRequests(clock, balance);
    }

    /** Appends a frame; waits while the maximum number of frames is waiting. */
    synchronized void put(Future<EncodedFrame> frame) throws IOException, InterruptedException {
        while (failure.get() == null && frames.size() >= capacity) {
            wait();
        }
        check();
        frames.add(frame);
        notifyAll();
    }

    /** Marks the last frame as appended. */
    synchronized void complete() {
        complete = true;
        notifyAll();
    }

    synchronized void addStreams(int count) {
        streams += count;
    }

    synchronized void streamEnded() {
        streams--;
        notifyAll();
    }

    /** Waits until all streams have ended, or until the transfer has failed: a stream that waits for credit does not notice the failure. */
    synchronized void awaitStreams() throws IOException, InterruptedException {
        while (failure.get() == null && streams > 0) {
            wait();
        }
        check();
    }

    /**
     * Returns one frame for a stream; null after the last. A frame that a direct lane returned comes first, and has its credit already. Waits for such a
     * frame while direct lanes suffice.
     *
     * @param unsent buffered bytes, flushed before this method waits for credit, or for a frame that no thread is encoding yet
     */
    Batch takeForStream(Flushable unsent) throws IOException, InterruptedException {
        return take(STREAM_LANE, unsent);
    }

    /** Returns one frame for a direct lane, and further frames that are encoded and have credit, up to {@code most} bytes; null after the last. */
    Batch takeForDirect(int most) throws IOException, InterruptedException {
        return take(most, () -> {});
    }

    private Batch take(int most, Flushable unsent) throws IOException, InterruptedException {
        boolean stream = most == STREAM_LANE;
        long start = clock.getAsLong();
        while (true) {
            boolean otherWaitsForCredit;
            int limit;
            synchronized (this) {
                otherWaitsForCredit = pickerWaitsForCredit;
                check();
                while (true) {
                    EncodedFrame back = stream ? returned() : null;
                    if (back != null) {
                        return new Batch(List.of(back), 0, 0);
                    }
                    boolean rests = stream ? requests.streamsRest(isDrained()) : !isDrained() && requests.lanesRest();
                    if (!rests && !picking) {
                        break;
                    }
                    awaitChange(POLL_MILLIS);
                    start = rests ? clock.getAsLong() : start;
                    check();
                }
                picking = true;
                requests.granted(Math.min(gate.limit(), picked + Credit.WINDOW));
                limit = stream ? most : requests.body(most);
            }
            Batch batch = pick(start, otherWaitsForCredit, limit, unsent);
            if (batch != Batch.AGAIN) {
                return batch;
            }
        }
    }

    /** Returns a frame that a direct lane has returned, or one of an overdue request if nothing else can be sent; null if there is none. */
    @GuardedBy("this")
    @CheckForNull
    private EncodedFrame returned() {
        if (pickerWaitsForCredit || isDrained()) {
            requests.repeatOverdue();
        }
        return requests.pollReturned();
    }

    /** Returns whether the last frame was taken. */
    @GuardedBy("this")
    private boolean isDrained() {
        return complete && frames.isEmpty();
    }

    @GuardedBy("this")
    private void awaitChange(long pollMillis) throws InterruptedException {
        wait(requests.changesByTime() ? pollMillis : 0);
    }

    /**
     * Waits for the next frame and its credit, as the only picker, and returns the frames for one lane.
     *
     * @param start when the lane requested frames
     * @param otherWaitsForCredit whether another lane was waiting for credit at that time
     * @param most  maximum bytes for a direct lane; {@link #STREAM_LANE} for a stream
     */
    private Batch pick(long start, boolean otherWaitsForCredit, int most, Flushable unsent)
            throws IOException, InterruptedException {
        boolean stream = most == STREAM_LANE;
        try {
            long began = clock.getAsLong();
            if (isProducerIdle()) {
                unsent.flush();
            }
            EncodedFrame first = first(stream);
            if (first == null) {
                return stream && mayGetReturned() ? Batch.AGAIN : null;
            }
            long found = clock.getAsLong();
            if (stream && !awaitCreditOrReturned(first, unsent)) {
                return Batch.AGAIN;
            }
            awaitCredit(first, unsent);
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
                start(taken);
            }
            long before = began - start;
            return new Batch(
                    taken,
                    clock.getAsLong() - found + (otherWaitsForCredit ? before : 0),
                    found - began + (otherWaitsForCredit ? 0 : before));
        } catch (IOException
                | RuntimeException
                | Error e) { // with a full heap, frames may be lost that are no longer queued
            throw fail(e);
        } finally {
            synchronized (this) {
                picking = false;
                notifyAll();
            }
        }
    }

    /** Returns whether no thread is encoding a frame, for example because the packer searches for content to reuse. */
    private synchronized boolean isProducerIdle() throws InterruptedException {
        if (isStarved()) {
            wait(COALESCE_MILLIS);
        }
        return isStarved();
    }

    @GuardedBy("this")
    private boolean isStarved() {
        return failure.get() == null && frames.isEmpty() && !complete;
    }

    private synchronized void start(List<EncodedFrame> taken) {
        requests.start(taken);
    }

    private synchronized boolean mayGetReturned() {
        return requests.hasReturned() || requests.changesByTime() && requests.mayReturn();
    }

    /** Waits for the next frame. Returns null after the last, or if a stream should send a returned frame first. */
    private EncodedFrame first(boolean stream) throws IOException, InterruptedException {
        Future<EncodedFrame> first;
        synchronized (this) {
            while (isStarved() && !(stream && requests.hasReturned())) {
                wait();
            }
            check();
            first = frames.peek();
        }
        return first == null ? null : encoded(first);
    }

    private EncodedFrame encoded(Future<EncodedFrame> frame) throws IOException, InterruptedException {
        try {
            return Tasks.awaitOrRun(frame);
        } catch (ExecutionException e) {
            throw fail(e.getCause());
        } catch (CancellationException e) {
            throw fail(e);
        }
    }

    /** Waits for credit while a direct lane may return frames, because the credit may depend on these. Returns false if it has returned some. */
    private boolean awaitCreditOrReturned(EncodedFrame frame, Flushable unsent)
            throws IOException, InterruptedException {
        while (!gate.allows(picked + Credit.heapCost(frame.length())) && mayGetReturned()) {
            unsent.flush();
            synchronized (this) {
                check();
                requests.repeatOverdue();
                if (requests.hasReturned()) {
                    return false;
                }
                pickerWaitsForCredit = true;
                awaitChange(1);
                pickerWaitsForCredit = false;
            }
        }
        return true;
    }

    private void awaitCredit(EncodedFrame frame, Flushable unsent) throws IOException {
        synchronized (this) {
            pickerWaitsForCredit = true;
        }
        try {
            gate.await(picked + Credit.heapCost(frame.length()), unsent);
        } finally {
            synchronized (this) {
                pickerWaitsForCredit = false;
            }
        }
    }

    /** Returns the next frame if it is encoded, has credit and has at most {@code most} bytes; otherwise null. */
    private EncodedFrame next(int most) throws IOException, InterruptedException {
        Future<EncodedFrame> next;
        synchronized (this) {
            next = frames.peek();
        }
        if (next == null || !next.isDone()) {
            return null;
        }
        EncodedFrame frame = encoded(next);
        return frame.length() <= most && gate.allows(picked + Credit.heapCost(frame.length())) ? frame : null;
    }

    private void take(EncodedFrame frame, List<EncodedFrame> taken) throws IOException {
        synchronized (this) {
            check();
            frames.remove();
            notifyAll();
        }
        picked += Credit.heapCost(frame.length());
        taken.add(frame);
    }

    /** Returns whether a lane waits for the next frame to be encoded. */
    synchronized boolean waitsForFrames() {
        return picking && !pickerWaitsForCredit;
    }

    /** Returns the latest credit limit: bytes of the receiver's heap for all frames since the start. */
    long credit() {
        return gate.limit();
    }

    /** Adds direct lanes. Returns false if no frames are left for them. */
    synchronized boolean addDirectLanes(int lanes) {
        if (failure.get() != null || isDrained()) {
            return false;
        }
        requests.addLanes(lanes);
        return true;
    }

    /** Records the write of a stream. */
    synchronized void wrote(LaneWrite write) {
        requests.wrote(write);
    }

    /** Records that the first {@code count} frames of a direct lane were delivered, removes them, and releases their arrays. */
    synchronized void delivered(List<EncodedFrame> held, int count, int bytes, long nanos) {
        requests.delivered(held, count, bytes, nanos);
        notifyAll();
    }

    /** Returns whether a request has not ended. */
    synchronized boolean hasRequests() {
        return requests.hasOpen();
    }

    /** Removes a direct lane, and returns its unacknowledged frames to the streams. */
    synchronized void removeDirectLane(Collection<EncodedFrame> undelivered) {
        try {
            requests.end(undelivered);
        } catch (Throwable e) { // the heap may be full: some frames are lost
            fail(e);
        }
        notifyAll();
    }

    /**
     * Fails the transfer: every current and later put and take throws the first reason. Never throws.
     *
     * @return the exception that these methods throw
     */
    synchronized IOException fail(Throwable reason) {
        if (failure.set(reason)) {
            notifyAll();
        }
        return failure.get();
    }

    /** Throws the exception of {@link #fail} if the transfer has failed. */
    synchronized void check() throws IOException {
        IOException first = failure.get();
        if (first != null) {
            throw first;
        }
    }

    /** Stops all current and later puts and takes. */
    synchronized void close() {
        fail(closed);
        // no lane may wait for a frame that no thread will encode
        for (Future<EncodedFrame> frame : frames) {
            frame.cancel(true);
        }
    }
}
