package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import java.io.IOException;
import java.util.function.LongSupplier;

/** Supplies the frames of all lanes in order, and grants the sender credit as frames are consumed. Not thread-safe. */
final class LaneFrames implements OrderedFrames {
    private final FrameReorderBuffer queue;
    private final SenderLiveness sender;
    private final HeapBudget.Reservation reservation;
    private final CreditScheduler grants;
    private final ReceiveProgress progress;
    private final LongSupplier clock;
    private long consumed;
    private long wireBytes;
    private boolean started;
    private long waitingNanos;

    /** @param clock returns the current time, nanoseconds */
    LaneFrames(
            FrameReorderBuffer queue,
            SenderLiveness sender,
            HeapBudget.Reservation reservation,
            CreditScheduler grants,
            ReceiveProgress progress,
            LongSupplier clock) {
        this.queue = queue;
        this.sender = sender;
        this.reservation = reservation;
        this.grants = grants;
        this.progress = progress;
        this.clock = clock;
    }

    @Override
    public ReceivedFrame next(boolean mayWait) throws IOException, InterruptedException {
        if (!mayWait) {
            return queue.poll();
        }
        long start = clock.getAsLong();
        progress.setWaiting(true);
        ReceivedFrame frame = queue.take(() -> {
            sender.checkAlive();
            long limit = reservation.grant(consumed);
            queue.setLimit(limit);
            grants.silent(limit, clock.getAsLong() - start);
        });
        // not in a finally block, because a transfer that fails in the wait must be reported as waiting
        progress.setWaiting(false);
        if (started) {
            waitingNanos += clock.getAsLong() - start;
        }
        started = true;
        return frame;
    }

    @Override
    public void release(ReceivedFrame frame) {
        consumed += Credit.heapCost(frame.length());
        wireBytes += frame.length();
        long limit = reservation.grant(consumed);
        queue.setLimit(limit);
        grants.consumed(consumed, wireBytes, limit);
    }

    /** Returns the time spent waiting for frames, except for the first frame, nanoseconds. */
    long waitingNanos() {
        return waitingNanos;
    }
}
