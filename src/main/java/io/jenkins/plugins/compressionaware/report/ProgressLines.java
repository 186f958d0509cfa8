package io.jenkins.plugins.compressionaware.report;

import hudson.AbortException;
import java.io.PrintStream;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Says in the build's log how far its transfer is: after 5, 10, 20, 40 seconds, and then every minute; and how far one has come that failed. A
 * short one says nothing.
 */
final class ProgressLines extends TransferListener {
    /** Told every so many times at least. */
    private static final int LONGEST_PAUSE = 12;

    private final PrintStream log;
    private final Executor executor;
    private int told;
    private int next = 1;
    private long lastNanos;
    private long lastBytes;
    private volatile RunningTransfer running;
    private volatile boolean over;

    /**
     * @param executor writes to the log, so that no timer waits for its disk
     */
    ProgressLines(PrintStream log, Executor executor) {
        this.log = log;
        this.executor = executor;
    }

    @Override
    public void started(RunningTransfer transfer) {
        running = transfer;
    }

    @Override
    public void progressed(RunningTransfer transfer) {
        if (++told < next) {
            return;
        }
        next = told + Math.min(told, LONGEST_PAUSE);
        executor.execute(() -> say(transfer));
    }

    private synchronized void say(RunningTransfer transfer) {
        long nanos = transfer.nanos();
        long bytes = transfer.bytesDone();
        double rate = (bytes - lastBytes) * (double) TimeUnit.SECONDS.toNanos(1) / Math.max(1, nanos - lastNanos);
        lastNanos = nanos;
        lastBytes = bytes;
        if (!over) {
            log.println(ProgressLine.soFar(transfer, rate));
        }
    }

    @Override
    public void completed(TransferResult result) {
        over = true;
    }

    @Override
    public void failed(TransferResult result) {
        over = true;
        // one that is refused for what it has, such as a stash without files, has got to its end
        if (!(result.failure() instanceof AbortException)) {
            log.println(ProgressLine.ended(running));
        }
    }
}
