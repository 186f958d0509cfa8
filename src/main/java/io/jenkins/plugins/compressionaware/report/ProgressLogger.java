package io.jenkins.plugins.compressionaware.report;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import hudson.AbortException;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveProgress;
import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import io.jenkins.plugins.compressionaware.engine.store.StoreException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Logs the progress of one transfer to the build log after 5, 10, 20, 40 and 80 seconds and then every minute. A failed transfer is logged with the amount
 * transferred so far; a short successful transfer is not logged.
 */
final class ProgressLogger extends TransferListener {
    /** Maximum number of calls of {@link #progressed} between two lines: one minute. */
    private static final int MAX_CALLS_PER_LINE = 12;

    private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

    /** Shortest idle time that is logged, nanoseconds. */
    private static final long MIN_IDLE_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** Shortest idle time of a transfer with a store that is logged, nanoseconds: its agent is queried only every ten seconds. */
    private static final long MIN_IDLE_NANOS_WITH_STORE = TimeUnit.SECONDS.toNanos(30);

    private final PrintStream log;
    private final Executor executor;
    /** Whether a line is being written, so that a log on a hung disk blocks only one thread. */
    private final AtomicBoolean writing = new AtomicBoolean();

    private int calls;
    private int nextCall = 1;
    private long lastNanos;
    private long lastBytes;
    private volatile RunningTransfer running;

    @GuardedBy("this")
    private boolean finished;

    /** @param executor writes to the log, so that the timer does not wait for the disk */
    ProgressLogger(PrintStream log, Executor executor) {
        this.log = log;
        this.executor = executor;
    }

    @Override
    public void started(TransferProgress transfer) {
        running = (RunningTransfer) transfer;
    }

    @Override
    public void progressed(TransferProgress transfer) {
        if (++calls < nextCall || !writing.compareAndSet(false, true)) {
            return;
        }
        nextCall = calls + Math.min(calls, MAX_CALLS_PER_LINE);
        if (!Tasks.begin(executor, this::log)) {
            writing.set(false);
        }
    }

    private void log() {
        try {
            long nanos = running.nanos();
            long bytes = running.completedBytes();
            double rate = (bytes - lastBytes) * SECOND / Math.max(1, nanos - lastNanos);
            lastNanos = nanos;
            lastBytes = bytes;
            synchronized (this) { // no progress line follows the line of a failure, or the end of the log
                if (!finished) {
                    log.println(progressText(rate));
                }
            }
        } finally {
            writing.set(false);
        }
    }

    @Override
    public synchronized void completed(TransferInfo transfer, TransferResult result) {
        finished = true;
    }

    @Override
    public synchronized void failed(TransferInfo transfer, TransferResult result, Throwable failure) {
        finished = true;
        // an AbortException means that the transfer ended but its content was refused, such as a stash without files
        if (!(failure instanceof AbortException)) {
            log.println(stoppedText(failure));
        }
    }

    /**
     * Formats the line for a running transfer: amount, and rate or idle time.
     *
     * @param rate recent bytes per second
     */
    private String progressText(double rate) {
        FigureFormat formats = FigureFormat.ofReader();
        List<String> parts = new ArrayList<>();
        long done = running.completedBytes();
        long all = running.totalBytes();
        if (all > 0) {
            parts.add(formats.ratio(done, all));
        }
        parts.addAll(amounts(all, formats));
        if (isIdle(rate)) {
            parts.add(awaited());
        } else if (rate > 0) {
            parts.add(formats.rate(rate));
            if (all > done) {
                parts.add(Messages.ProgressLine_left(
                        formats.time(1000 * Math.max(1, Math.round((all - done) / rate)))));
            }
        }
        return Messages.ProgressLine_soFar(BuildLogMessages.describe(running.transfer()), String.join(", ", parts));
    }

    private boolean isIdle(double rate) {
        if (isBusy() || running.transfer().agent().equals(TransferInfo.CONTROLLER)) { // no bytes arrive
            return rate == 0;
        }
        long least = running.store() == null ? MIN_IDLE_NANOS : MIN_IDLE_NANOS_WITH_STORE;
        return waitsForStore() || running.idleNanos() >= least;
    }

    private String awaited() {
        if (waitsForStore()) {
            return Messages.ProgressLine_store(running.store());
        } else if (isBusy()) {
            return Messages.ProgressLine_busy(toAgent());
        }
        return isWaiting() ? Messages.ProgressLine_silent(idleTime(), toAgent()) : Messages.ProgressLine_disk();
    }

    /** Returns whether the agent waits for a store, or the controller, which reads the store itself. */
    private boolean waitsForStore() {
        return running.state() == AgentEnd.WAITS_FOR_STORE || running.store() != null && !isWaiting();
    }

    /** Returns whether the agent works on files before more bytes can move to or from a store. */
    private boolean isBusy() {
        return running.state() == AgentEnd.BUSY;
    }

    /** Formats the line for a failed transfer: amount, and what the transfer was waiting for. */
    private String stoppedText(Throwable failure) {
        TransferInfo transfer = running.transfer();
        String label = BuildLogMessages.describe(transfer);
        String time = time(running.nanos());
        String amount = amounts(running.totalBytes(), FigureFormat.ofReader()).get(0);
        boolean ofStore = failure instanceof InterruptedException
                ? waitsForStore()
                : Causes.of(failure).anyMatch(StoreException.class::isInstance);
        if (ofStore && running.store() != null) {
            return Messages.ProgressLine_stoppedStore(label, time, amount, running.store());
        }
        if (!isWaiting()) {
            return Messages.ProgressLine_stoppedWriting(label, time, amount);
        }
        return transfer.agent().isEmpty()
                ? Messages.ProgressLine_stoppedWithoutAgent(label, time, amount)
                : Messages.ProgressLine_stopped(label, time, amount, transfer.agent(), idleTime(), toAgent());
    }

    private int toAgent() {
        return running.transfer().operation().isToAgent() ? 1 : 0;
    }

    /** Returns whether the transfer is waiting for the agent, not for the controller's disk. */
    private boolean isWaiting() {
        ReceiveProgress progress = running.progress();
        return progress == null || progress.isWaiting();
    }

    private String idleTime() {
        return time(running.idleNanos());
    }

    private static String time(long nanos) {
        return FigureFormat.ofReader().time(TimeUnit.NANOSECONDS.toMillis(nanos));
    }

    private List<String> amounts(long all, FigureFormat formats) {
        List<String> amounts = new ArrayList<>();
        ReceiveProgress progress = running.progress();
        String sent = formats.bytes(running.channelBytes() + running.directBytes());
        if (progress == null && all > 0) {
            return List.of(Messages.ProgressLine_sentOf(sent, formats.bytes(all)));
        }
        if (progress != null && progress.contentBytes() > 0) {
            amounts.add(formats.bytes(progress.contentBytes()));
        }
        amounts.add(Messages.ProgressLine_moved(sent, toAgent()));
        return amounts;
    }
}
