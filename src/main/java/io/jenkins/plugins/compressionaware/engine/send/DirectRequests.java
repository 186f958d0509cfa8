package io.jenkins.plugins.compressionaware.engine.send;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneBalance;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.function.LongSupplier;

/**
 * Tracks the frames that direct lanes hold or have returned, and applies {@link LaneBalance}. Not thread-safe: guarded by the lock of
 * its {@link FrameDispatcher}.
 */
final class DirectRequests {
    private final LongSupplier clock;
    private final LaneBalance balance;

    /** Requests without an answer, oldest first. */
    private final List<Request> open = new ArrayList<>();

    /** Frames that only a stream may send. */
    private final Queue<EncodedFrame> returned = new ArrayDeque<>();

    private int lanes;

    /** The frames of one direct lane that have no receipt. */
    private static final class Request {
        private final List<EncodedFrame> held;
        private final long start;

        /** Whether a stream sends these frames, too. */
        private boolean repeated;

        Request(List<EncodedFrame> held, long start) {
            this.held = held;
            this.start = start;
        }

        int bytes() {
            return held.stream().mapToInt(EncodedFrame::length).sum();
        }
    }

    /** @param balance null if streams get no frames while direct lanes work */
    DirectRequests(LongSupplier clock, @CheckForNull LaneBalance balance) {
        this.clock = clock;
        this.balance = balance;
    }

    /** Adds direct lanes, or removes them if the number is negative. */
    void addLanes(int number) {
        lanes += number;
        if (balance != null) {
            balance.setConnections(lanes);
        }
    }

    /** Returns whether the passage of time may change an answer of this object: a request may become late, or a rest may end. */
    boolean changesByTime() {
        return balance != null && lanes > 0 && (!open.isEmpty() || balance.directLanesRest(clock.getAsLong()));
    }

    /**
     * Returns whether a stream must wait.
     *
     * @param allTaken whether the last frame was taken
     */
    boolean streamsRest(boolean allTaken) {
        if (lanes == 0 || balance == null) {
            return lanes > 0;
        }
        long now = clock.getAsLong();
        return allTaken ? mayReturn() : !balance.allowsStreams(now, open.isEmpty() ? now : open.get(0).start);
    }

    /** Returns whether direct lanes would get frames. */
    boolean areNeeded() {
        return balance == null || balance.needsDirect();
    }

    /** Returns the number of direct lanes that get frames now. */
    int working() {
        return balance == null ? lanes : balance.requests(clock.getAsLong());
    }

    /** Returns whether a direct lane must wait. */
    boolean lanesRest() {
        return balance != null && !balance.allowsDirect(open.size(), clock.getAsLong());
    }

    /** Returns the maximum bytes of the next request, at most {@code most}. */
    int body(int most) {
        return balance == null ? most : Math.min(most, balance.body());
    }

    /** Records the write of a stream. */
    void wrote(LaneWrite write) {
        if (balance != null) {
            balance.streamWrote(
                    write.wireLength(), write.writeNanos(), (double) write.creditWaitNanos() + write.frameWaitNanos());
        }
    }

    /** Records the receiver's latest grant. */
    void granted(long limit) {
        if (balance != null) {
            balance.granted(limit, clock.getAsLong());
        }
    }

    /** Records the start of a request. */
    void start(List<EncodedFrame> frames) {
        open.add(new Request(frames, clock.getAsLong()));
    }

    /** Records that the first {@code count} frames of a request were delivered, removes them, and releases their arrays. */
    void delivered(List<EncodedFrame> held, int count, int bytes, long nanos) {
        Request request = request(held);
        for (int i = 0; i < count; i++) {
            EncodedFrame frame = held.remove(0);
            if (request != null && request.repeated) { // a stream may be writing the frame
                returned.removeIf(back -> back.bytes() == frame.bytes());
            } else {
                frame.recycle();
            }
        }
        if (held.isEmpty()) {
            open.remove(request);
        }
        if (balance != null) {
            balance.delivered(bytes, nanos, clock.getAsLong());
        }
    }

    /** Returns the undelivered frames of a lane that has ended to the streams. */
    void end(Collection<EncodedFrame> held) {
        Request request = request(held);
        open.remove(request);
        if (request != null && balance != null) {
            balance.failed((double) clock.getAsLong() - request.start, clock.getAsLong());
        }
        addLanes(-1);
        if (request == null || !request.repeated) {
            giveBack(held);
        }
    }

    private void giveBack(Collection<EncodedFrame> frames) {
        for (EncodedFrame frame : frames) {
            returned.add(frame.asReturned());
        }
    }

    @CheckForNull
    private Request request(Collection<EncodedFrame> held) {
        for (int i = 0; i < open.size(); i++) { // an iterator needs memory, and the heap may be full
            if (open.get(i).held == held) {
                return open.get(i);
            }
        }
        return null;
    }

    /** Returns the next frame that a direct lane has returned; null if there is none. */
    @CheckForNull
    EncodedFrame pollReturned() {
        return returned.poll();
    }

    /** Returns for how long the oldest request has had no answer, nanoseconds; 0 if all have ended. */
    long unansweredNanos() {
        return open.isEmpty() ? 0 : clock.getAsLong() - open.get(0).start;
    }

    boolean hasReturned() {
        return !returned.isEmpty();
    }

    /** Returns whether a request may still return frames to a stream. */
    boolean mayReturn() {
        return balance != null && lanes > 0 && open.stream().anyMatch(request -> !request.repeated);
    }

    /** Queues the frames of one overdue request for the streams, because later frames may need the credit that these hold. */
    void repeatOverdue() {
        long now = clock.getAsLong();
        for (int i = 0; i < open.size() && balance != null && !hasReturned(); i++) {
            Request request = open.get(i);
            if (!request.repeated && balance.isOverdue(request.bytes(), (double) now - request.start)) {
                request.repeated = true;
                giveBack(request.held);
            }
        }
    }
}
