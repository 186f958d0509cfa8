package io.jenkins.plugins.compressionaware.engine.send;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneBalance;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneRequests;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.function.LongSupplier;

/** Tracks the frames that direct lanes hold or have returned. Not thread-safe: guarded by the lock of its {@link FrameDispatcher}. */
final class DirectRequests extends LaneRequests<Collection<EncodedFrame>> {
    /** Frames that only a stream may send. */
    private final Queue<EncodedFrame> returned = new ArrayDeque<>();

    /** @param balance null if streams get no frames while direct lanes work */
    DirectRequests(LongSupplier clock, @CheckForNull LaneBalance balance) {
        super(
                clock,
                balance,
                held -> held.stream().mapToInt(EncodedFrame::length).sum());
    }

    /** Records that the first {@code count} frames of a request were delivered, removes them, and releases their arrays. */
    void delivered(List<EncodedFrame> held, int count, int bytes, long nanos) {
        boolean repeated = isRepeated(held);
        for (int i = 0; i < count; i++) {
            EncodedFrame frame = held.remove(0);
            if (repeated) { // a stream may be writing the frame
                returned.removeIf(back -> back.bytes() == frame.bytes());
            } else {
                frame.recycle();
            }
        }
        delivered(held, held.isEmpty(), bytes, nanos);
    }

    /** Removes a direct lane, and returns its undelivered frames to the streams. */
    void giveBack(Collection<EncodedFrame> held) {
        if (end(held)) {
            addReturned(held);
        }
    }

    private void addReturned(Collection<EncodedFrame> frames) {
        for (EncodedFrame frame : frames) {
            returned.add(frame.asReturned());
        }
    }

    /** Returns the next frame that a direct lane has returned; null if there is none. */
    @CheckForNull
    EncodedFrame pollReturned() {
        return returned.poll();
    }

    boolean hasReturned() {
        return !returned.isEmpty();
    }

    /** Queues the frames of one overdue request for the streams, unless frames are queued. */
    void repeatOverdue() {
        Collection<EncodedFrame> overdue = hasReturned() ? null : takeOverdue();
        if (overdue != null) {
            addReturned(overdue);
        }
    }
}
