package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import java.io.IOException;
import java.util.function.LongSupplier;

/** The frames that lanes bring, in order. Grants the sender credit as they are consumed. Used by one thread. */
final class IncomingFrames implements FrameSupply {
    private final FrameQueue queue;
    private final SenderWatch watch;
    private final HeapBudget.Account account;
    private final CreditGrants grants;
    private final Progress progress;
    private final LongSupplier clock;
    private long consumed;
    private long wireBytes;
    private boolean started;
    private long waitingNanos;

    /** @param clock nanoseconds */
    IncomingFrames(
            FrameQueue queue,
            SenderWatch watch,
            HeapBudget.Account account,
            CreditGrants grants,
            Progress progress,
            LongSupplier clock) {
        this.queue = queue;
        this.watch = watch;
        this.account = account;
        this.grants = grants;
        this.progress = progress;
        this.clock = clock;
    }

    @Override
    public ArrivedFrame poll() throws IOException {
        return queue.poll();
    }

    @Override
    public ArrivedFrame take() throws IOException, InterruptedException {
        long start = clock.getAsLong();
        progress.waits(true);
        ArrivedFrame frame = queue.take(() -> {
            watch.check();
            long limit = account.grant(consumed);
            queue.allow(limit);
            grants.silent(limit, clock.getAsLong() - start);
        });
        // not after a failure: the transfer was then waiting to the end
        progress.waits(false);
        if (started) {
            waitingNanos += clock.getAsLong() - start;
        }
        started = true;
        return frame;
    }

    @Override
    public void consumed(ArrivedFrame frame) {
        consumed += Credit.heapOf(frame.length());
        wireBytes += frame.length();
        long limit = account.grant(consumed);
        queue.allow(limit);
        grants.consumed(consumed, wireBytes, limit);
    }

    /** Time in which there was no frame to work on, after the first, nanoseconds. */
    long waitingNanos() {
        return waitingNanos;
    }
}
