package io.jenkins.plugins.compressionaware.engine.send;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneBalance;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import io.jenkins.plugins.compressionaware.engine.flow.CreditGate;
import io.jenkins.plugins.compressionaware.engine.run.FirstFailure;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import java.io.Flushable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;

/**
 * Distributes frames to free lanes, in sequence order: holds the frames that wait, and lets one lane at a time pick from them ({@link FramePicker}).
 * Thread-safe; one lock guards all state, and is released while a lane waits.
 */
final class FrameDispatcher {
    /** Milliseconds for which a stream's buffered bytes wait for the next frame. A packer that only reads files needs less time for a frame. */
    private static final long COALESCE_MILLIS = 2;

    /** Nanoseconds after which a stream that waits for credit looks for new grants: no other thread notifies of these. */
    private static final long CREDIT_POLL_NANOS = 1_000_000;

    private final int capacity;
    private final LongSupplier clock;
    private final FramePicker picker;
    private final IOException closed = new IOException("the transfer is over");

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
    record Batch(List<EncodedFrame> frames, long creditWaitNanos, long frameWaitNanos) {}

    /**
     * @param capacity maximum number of waiting frames, and of frames per request
     * @param clock    clock in nanoseconds
     * @param balance  decides which lanes get new frames; null if streams get none while direct lanes work
     */
    FrameDispatcher(CreditGate gate, int capacity, LongSupplier clock, @CheckForNull LaneBalance balance) {
        this.capacity = capacity;
        this.clock = clock;
        picker = new FramePicker(this, gate, capacity, clock);
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
     * Returns one frame for a stream; null after the last. A frame that a direct lane returned comes first, and has its credit already. While streams
     * rest, only such a frame is returned.
     *
     * @param unsent writes buffered bytes before a wait for credit, another lane, or a frame that no thread is encoding. Other lanes can pick meanwhile
     */
    Batch takeForStream(Flushable unsent) throws IOException, InterruptedException {
        return take(FramePicker.STREAM, unsent);
    }

    /** Returns one frame for a direct lane, and further frames that are encoded and have credit, up to {@code most} bytes; null after the last. */
    Batch takeForDirect(int most) throws IOException, InterruptedException {
        return take(most, () -> {});
    }

    private Batch take(int most, Flushable unsent) throws IOException, InterruptedException {
        boolean stream = most == FramePicker.STREAM;
        long start = clock.getAsLong();
        boolean flushed = !stream;
        while (true) {
            boolean otherWaitsForCredit;
            int limit = 0;
            boolean waits = false;
            synchronized (this) {
                otherWaitsForCredit = pickerWaitsForCredit;
                while (true) {
                    check();
                    EncodedFrame back = stream ? returned() : null;
                    if (back != null) {
                        return new Batch(List.of(back), 0, 0);
                    }
                    boolean timed = requests.changesByTime(); // first, because a rest may end meanwhile
                    boolean rests = stream ? requests.streamsRest(isDrained()) : !isDrained() && requests.lanesRest();
                    waits = rests || picking;
                    if (!waits || !flushed) {
                        break;
                    }
                    wait(timed ? DirectRequests.POLL_MILLIS : 0);
                    start = rests ? clock.getAsLong() : start;
                }
                if (!waits) {
                    requests.granted(picker.credit());
                    limit = stream ? most : requests.body(most);
                    picking = true;
                }
            }
            Batch batch = waits ? FramePicker.FLUSH : picker.pick(start, otherWaitsForCredit, limit, flushed);
            if (batch == FramePicker.FLUSH) {
                start -= clock.getAsLong(); // a write is no waiting time
                unsent.flush();
                start += clock.getAsLong();
                flushed = true;
            } else if (batch != FramePicker.AGAIN) {
                return batch;
            }
        }
    }

    /** Returns a frame that a direct lane has returned, or one of an overdue request if little credit or no new frame is left; null if there is none. */
    @GuardedBy("this")
    @CheckForNull
    private EncodedFrame returned() {
        if (pickerWaitsForCredit || isDrained() || requests.isScarce(picker.creditLeft())) {
            requests.repeatOverdue();
        }
        return requests.pollReturned();
    }

    /** Returns whether the last frame was taken. */
    @GuardedBy("this")
    private boolean isDrained() {
        return complete && frames.isEmpty();
    }

    /** Returns whether no thread is encoding a frame, for example because the packer searches for content to reuse. */
    synchronized boolean isProducerIdle() throws InterruptedException {
        if (isStarved()) {
            wait(COALESCE_MILLIS);
        }
        return isStarved();
    }

    @GuardedBy("this")
    private boolean isStarved() {
        return failure.get() == null && frames.isEmpty() && !complete;
    }

    /** Waits for the next frame, and returns it, perhaps unfinished. Returns null after the last, or if a stream should send a returned frame first. */
    @CheckForNull
    synchronized Future<EncodedFrame> awaitNext(boolean stream) throws IOException, InterruptedException {
        while (isStarved() && !(stream && requests.hasReturned())) {
            wait();
        }
        check();
        return frames.peek();
    }

    /** Returns the next frame, perhaps unfinished; null if none is waiting. */
    @CheckForNull
    synchronized Future<EncodedFrame> next() {
        return frames.peek();
    }

    /** Removes the next frame, which the picker has taken. */
    synchronized void remove() throws IOException {
        check();
        frames.remove();
        notifyAll();
    }

    /** Records that a direct lane sends frames. */
    synchronized void start(List<EncodedFrame> taken) {
        requests.start(taken);
    }

    /** Returns whether a direct lane has returned frames, or a stream may have to repeat some. */
    synchronized boolean mayGetReturned() {
        return requests.hasReturned() || requests.mayReturn();
    }

    /** Returns whether a stream may get another frame, a new one or a returned one. */
    synchronized boolean mayHaveMore() {
        return !isDrained() || mayGetReturned();
    }

    /** Waits a moment for frames that a direct lane returns, while the picker has no credit. Returns whether there are some. */
    synchronized boolean awaitReturned() throws IOException, InterruptedException {
        check();
        requests.repeatOverdue();
        return Tasks.await(this, this::hasReturned, CREDIT_POLL_NANOS);
    }

    private synchronized boolean hasReturned() {
        return requests.hasReturned();
    }

    synchronized void waitsForCredit(boolean waits) {
        pickerWaitsForCredit = waits;
    }

    /** Lets the next lane pick. */
    synchronized void endPicking() {
        picking = false;
        notifyAll();
    }

    /** Returns whether a lane waits for the next frame to be encoded. */
    synchronized boolean waitsForFrames() {
        return picking && !pickerWaitsForCredit;
    }

    /** Returns the latest credit limit: bytes of the receiver's heap for all frames since the start. */
    long credit() {
        return picker.credit();
    }

    /** Returns whether direct lanes would get frames. */
    synchronized boolean needsDirectLanes() {
        return requests.areNeeded();
    }

    /** Adds direct lanes. Returns false if no frames are left for them. */
    synchronized boolean addDirectLanes(int lanes) {
        if (failure.get() != null || isDrained()) {
            return false;
        }
        requests.addLanes(lanes);
        return true;
    }

    /** Records the write of a stream. It may show that direct lanes are needed, or no longer are. */
    synchronized void wrote(LaneWrite write) {
        boolean rested = requests.lanesRest();
        requests.streamWrote(
                write.wireLength(), write.writeNanos(), (double) write.creditWaitNanos() + write.frameWaitNanos());
        if (requests.lanesRest() != rested) {
            notifyAll();
        }
    }

    /** Describes to a policy the lanes that get frames now. While both ways send, all of them count as streams. */
    void describeLanes(CompressionPolicy policy) {
        int direct;
        int working;
        synchronized (this) { // not while the policy waits for its own lock
            direct = requests.working();
            working = requests.streamsRest(false) ? 0 : streams;
        }
        policy.lanes(Math.max(1, working + direct), working == 0 && direct > 0);
    }

    /** Records that the first {@code count} frames of a direct lane were delivered, removes them, and releases their arrays. */
    synchronized void delivered(List<EncodedFrame> held, int count, int bytes, long nanos) {
        requests.delivered(held, count, bytes, nanos);
        notifyAll();
    }

    /** Returns for how long the oldest request of a direct lane has had no answer, nanoseconds; 0 if all have ended. */
    synchronized long unansweredNanos() {
        return requests.unansweredNanos();
    }

    /** Removes a direct lane, and returns its unacknowledged frames to the streams. */
    synchronized void removeDirectLane(Collection<EncodedFrame> undelivered) {
        try {
            requests.giveBack(undelivered);
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
