package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.lane.FirstFailure;
import io.jenkins.plugins.compressionaware.engine.lane.ReturnedWorkQueue;
import io.jenkins.plugins.compressionaware.engine.flow.Tasks;
import java.io.Flushable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;

/**
 * Hands frames to lanes: to streams also those for which a direct lane has no receipt, by the rules of {@link ReturnedWorkQueue}; they have their credit
 * already. Any lane that asks is given, in this order:
 * <ol>
 * <li>the next frame, when it is made and has credit. One lane at a time, the picker, waits for that: credit is taken in the order of the
 * frames, since the receiver consumes in that order, and a later frame must not use up the credit that an earlier one needs.
 * <li>a direct lane, with it: the following frames that are made and have credit, up to the size of a request.
 * <li>after the last frame: nothing more.
 * </ol>
 *
 * <p>One lock guards all state; nobody holds it while waiting for anything else.
 */
final class FrameDispatcher {
    private static final int STREAM_LANE = -1;

    /** Milliseconds that kept-back bytes wait for a frame to join them: files that are merely read yield frames faster. */
    private static final long COALESCE_MILLIS = 2;

    private final CreditGate gate;
    private final int capacity;
    private final LongSupplier clock;
    private final IOException over = new IOException("the transfer is over");
    private final Queue<byte[]> spare = new ConcurrentLinkedQueue<>();

    // used by the picker alone
    private long picked;

    // guarded by this, as is all that follows
    private final Deque<Future<EncodedFrame>> frames = new ArrayDeque<>();
    private final ReturnedWorkQueue<EncodedFrame> reserve = new ReturnedWorkQueue<>();
    private boolean complete;
    private boolean picking;
    private boolean pickerWaitsForCredit;
    private final FirstFailure failure = new FirstFailure("Cannot send: ", "sending");

    /**
     * Frames for a lane.
     *
     * @param heldNanos    the lane's wait for credit, nanoseconds
     * @param starvedNanos the lane's wait for a frame, nanoseconds
     */
    record Batch(List<EncodedFrame> frames, long heldNanos, long starvedNanos) {}

    /**
     * @param capacity most frames that wait, and most per request
     * @param clock    nanoseconds
     */
    FrameDispatcher(CreditGate gate, int capacity, LongSupplier clock) {
        this.gate = gate;
        this.capacity = capacity;
        this.clock = clock;
    }

    /** Appends a frame; waits while there is no room for it. */
    synchronized void put(Future<EncodedFrame> frame) throws IOException, InterruptedException {
        while (failure.get() == null && frames.size() >= capacity) {
            wait();
        }
        check();
        frames.add(frame);
        notifyAll();
    }

    synchronized void complete() {
        complete = true;
        notifyAll();
    }

    /** An array of at least this length. */
    byte[] borrowBuffer(int length) {
        byte[] used = spare.poll();
        return used != null && used.length >= length ? used : new byte[length];
    }

    /**
     * For streams: one frame; null after the last.
     *
     * @param keptBack flushed before this waits for credit, or for a frame that is not in the making
     */
    Batch takeForStream(Flushable keptBack) throws IOException, InterruptedException {
        return take(STREAM_LANE, keptBack);
    }

    /** For direct lanes: at least one frame, and no more than {@code most} bytes if there are several; null after the last. */
    Batch takeForDirect(int most) throws IOException, InterruptedException {
        return take(most, () -> {});
    }

    private Batch take(int most, Flushable keptBack) throws IOException, InterruptedException {
        boolean stream = most == STREAM_LANE;
        long start = clock.getAsLong();
        boolean held;
        synchronized (this) {
            held = pickerWaitsForCredit;
            check();
            while (true) {
                EncodedFrame back = stream ? reserve.poll() : null;
                if (back != null) {
                    return new Batch(List.of(back), 0, 0);
                }
                boolean kept = stream && reserve.streamsMustWait();
                if (!kept && !picking) {
                    break;
                }
                wait();
                start = kept ? clock.getAsLong() : start;
                check();
            }
            picking = true;
        }
        return pick(start, held, most, keptBack);
    }

    /**
     * @param start when the lane asked
     * @param held  whether another lane was waiting for credit then
     * @param most  bytes that a direct lane takes; {@link #STREAM_LANE} for a stream
     */
    private Batch pick(long start, boolean held, int most, Flushable keptBack)
            throws IOException, InterruptedException {
        try {
            long began = clock.getAsLong();
            if (isProducerIdle()) {
                keptBack.flush();
            }
            EncodedFrame first = first();
            if (first == null) {
                return null;
            }
            long found = clock.getAsLong();
            awaitCredit(first, keptBack);
            List<EncodedFrame> taken = new ArrayList<>();
            take(first, taken);
            for (int left = most - first.length(); left > 0 && taken.size() < capacity; ) {
                EncodedFrame next = next(left);
                if (next == null) {
                    break;
                }
                take(next, taken);
                left -= next.length();
            }
            long before = began - start;
            return new Batch(
                    taken, clock.getAsLong() - found + (held ? before : 0), found - began + (held ? 0 : before));
        } finally {
            synchronized (this) {
                picking = false;
                notifyAll();
            }
        }
    }

    /** Whether no frame is in the making: the packer may be busy, for example looking for content that need not be sent. */
    private synchronized boolean isProducerIdle() throws InterruptedException {
        if (isStarved()) {
            wait(COALESCE_MILLIS);
        }
        return isStarved();
    }

    private boolean isStarved() {
        return failure.get() == null && frames.isEmpty() && !complete;
    }

    private EncodedFrame first() throws IOException, InterruptedException {
        Future<EncodedFrame> first;
        synchronized (this) {
            while (isStarved()) {
                wait();
            }
            check();
            first = frames.peek();
        }
        return first == null ? null : made(first);
    }

    private EncodedFrame made(Future<EncodedFrame> frame) throws IOException, InterruptedException {
        try {
            return Tasks.outcome(frame);
        } catch (ExecutionException e) {
            throw fail(e.getCause());
        } catch (CancellationException e) {
            throw fail(e);
        }
    }

    private void awaitCredit(EncodedFrame frame, Flushable keptBack) throws IOException {
        synchronized (this) {
            pickerWaitsForCredit = true;
        }
        try {
            gate.await(picked + Credit.heapCost(frame.length()), keptBack);
        } catch (IOException e) {
            throw fail(e);
        } finally {
            synchronized (this) {
                pickerWaitsForCredit = false;
            }
        }
    }

    /** The next frame if it is made, has credit and is no longer than {@code most}; otherwise null. */
    private EncodedFrame next(int most) throws IOException, InterruptedException {
        Future<EncodedFrame> next;
        synchronized (this) {
            next = frames.peek();
        }
        if (next == null || !next.isDone()) {
            return null;
        }
        EncodedFrame frame = made(next);
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

    /** Whether the next frame must still be built before it can be sent. */
    synchronized boolean waitsForFrames() {
        return picking && !pickerWaitsForCredit;
    }

    /** Returns the newest credit limit that has arrived: bytes of the receiver's heap for all frames since the start. */
    long credit() {
        return gate.limit();
    }

    /** Releases a frame that is on its way or has a receipt. */
    void recycle(EncodedFrame frame) {
        if (!frame.returned()) {
            spare.add(frame.bytes());
        }
    }

    /** Direct lanes begin; false if there is nothing left for them. */
    synchronized boolean addDirectLanes(int lanes) {
        if (failure.get() != null || complete && frames.isEmpty()) {
            return false;
        }
        reserve.begin(lanes);
        return true;
    }

    /** A direct lane ends and gives back the frames for which it has no receipt. */
    synchronized void removeDirectLane(Collection<EncodedFrame> undelivered) {
        reserve.end();
        try {
            for (EncodedFrame frame : undelivered) {
                reserve.returnWork(frame.asReturned());
            }
        } catch (Throwable e) { // a full heap: some frames are lost
            fail(e);
        }
        notifyAll();
    }

    /**
     * Fails the transfer: every current and later put and take throws this reason, or an earlier reason. Never throws.
     *
     * @return the exception thrown
     */
    synchronized IOException fail(Throwable reason) {
        if (failure.set(reason)) {
            notifyAll();
        }
        return failure.get();
    }

    /** Throws the reason of {@link #fail}, if there is one. */
    synchronized void check() throws IOException {
        if (failure.get() != null) {
            throw failure.get();
        }
    }

    /** Nothing will be put or taken any more. */
    synchronized void close() {
        fail(over);
        // so that nobody waits for a frame that no thread will make
        for (Future<EncodedFrame> frame : frames) {
            frame.cancel(true);
        }
    }
}
