package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import java.io.IOException;
import java.util.function.LongSupplier;

/** The frames that lanes bring, in order. Grants the sender credit as they are consumed. Used by one thread. */
final class LaneFrames implements OrderedFrames {
    private final FrameReorderBuffer queue;
    private final SenderLiveness watch;
    private final HeapBudget.Reservation account;
    private final CreditScheduler grants;
    private final ReceiveProgress progress;
    private final LongSupplier clock;
    private long consumed;
    private long wireBytes;
    private boolean started;
    private long waitingNanos;

    /** @param clock nanoseconds */
    LaneFrames(
            FrameReorderBuffer queue,
            SenderLiveness watch,
            HeapBudget.Reservation account,
            CreditScheduler grants,
            ReceiveProgress progress,
            LongSupplier clock) {
        this.queue = queue;
        this.watch = watch;
        this.account = account;
        this.grants = grants;
        this.progress = progress;
        this.clock = clock;
    }

    @Override
    public ReceivedFrame poll() throws IOException {
        return queue.poll();
    }

    @Override
    public ReceivedFrame take() throws IOException, InterruptedException {
        long start = clock.getAsLong();
        progress.setWaiting(true);
        ReceivedFrame frame = queue.take(() -> {
            watch.checkAlive();
            long limit = account.grant(consumed);
            queue.setLimit(limit);
            grants.silent(limit, clock.getAsLong() - start);
        });
        // not after a failure: the transfer was then waiting to the end
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
        long limit = account.grant(consumed);
        queue.setLimit(limit);
        grants.consumed(consumed, wireBytes, limit);
    }

    /** Time in which there was no frame to work on, after the first, nanoseconds. */
    long waitingNanos() {
        return waitingNanos;
    }
}
