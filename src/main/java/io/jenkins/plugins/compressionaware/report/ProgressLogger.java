package io.jenkins.plugins.compressionaware.report;

import hudson.AbortException;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveProgress;
import io.jenkins.plugins.compressionaware.engine.flow.Tasks;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Reports in the build log how far a transfer is, after 5, 10, 20, 40 and 80 seconds and then every minute, and how far a failed one came. A short
 * transfer that succeeds is not reported. Listens to a {@link RunningTransfer}.
 */
final class ProgressLogger extends TransferListener {
    /** Most calls of {@link #progressed} between two lines: a minute. */
    private static final int LONGEST_PAUSE = 12;

    private static final double SECOND = TimeUnit.SECONDS.toNanos(1);

    /** Shortest silence that is reported, nanoseconds. */
    private static final long SILENCE = TimeUnit.SECONDS.toNanos(5);

    private final PrintStream log;
    private final Executor executor;
    /** A log whose disk hangs holds only one thread, however long that lasts. */
    private final AtomicBoolean saying = new AtomicBoolean();

    private int told;
    private int next = 1;
    private long lastNanos;
    private long lastBytes;
    private volatile RunningTransfer running;
    private volatile boolean over;

    /** @param executor writes to the log, so that no timer waits for its disk */
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
        if (++told < next || !saying.compareAndSet(false, true)) {
            return;
        }
        next = told + Math.min(told, LONGEST_PAUSE);
        if (!Tasks.begin(executor, this::logAsync)) {
            // there may be a thread for the next line
            saying.set(false);
        }
    }

    private void logAsync() {
        try {
            log();
        } finally {
            saying.set(false);
        }
    }

    private void log() {
        long nanos = running.nanos();
        long bytes = running.completedBytes();
        double rate = (bytes - lastBytes) * SECOND / Math.max(1, nanos - lastNanos);
        lastNanos = nanos;
        lastBytes = bytes;
        if (!over) {
            log.println(progressText(rate));
        }
    }

    @Override
    public void completed(TransferInfo transfer, TransferResult result) {
        over = true;
    }

    @Override
    public void failed(TransferInfo transfer, TransferResult result, Throwable failure) {
        over = true;
        // a transfer that is refused for its content, such as a stash without files, did reach its end
        if (!(failure instanceof AbortException)) {
            log.println(stopped());
        }
    }

    /** @param rate recent bytes per second */
    private String progressText(double rate) {
        FigureFormat formats = FigureFormat.ofReader();
        List<String> parts = new ArrayList<>();
        long done = running.completedBytes();
        long all = running.totalBytes();
        if (all > 0) {
            parts.add(formats.ratio(done, all));
        }
        parts.addAll(amounts(all, formats));
        if (running.idleNanos() >= SILENCE) {
            parts.add(isWaiting() ? Messages.ProgressLine_silent(silence(), toAgent()) : Messages.ProgressLine_disk());
        } else if (rate > 0) {
            parts.add(formats.rate(rate));
            if (all > done) {
                parts.add(Messages.ProgressLine_left(
                        formats.time(1000 * Math.max(1, Math.round((all - done) / rate)))));
            }
        }
        return Messages.ProgressLine_soFar(BuildLogMessages.describe(running.transfer()), String.join(", ", parts));
    }

    /** How far the transfer came, and what it waited for. */
    private String stopped() {
        TransferInfo transfer = running.transfer();
        String what = BuildLogMessages.describe(transfer);
        String time = time(running.nanos());
        String amount = amounts(running.totalBytes(), FigureFormat.ofReader()).get(0);
        if (!isWaiting()) {
            return Messages.ProgressLine_stoppedWriting(what, time, amount);
        }
        return transfer.agent().isEmpty()
                ? Messages.ProgressLine_stoppedWithoutAgent(what, time, amount)
                : Messages.ProgressLine_stopped(what, time, amount, transfer.agent(), silence(), toAgent());
    }

    private int toAgent() {
        return running.transfer().kind().isToAgent() ? 1 : 0;
    }

    /** Whether it waits for the agent, not for this machine's disk. */
    private boolean isWaiting() {
        ReceiveProgress progress = running.progress();
        return progress == null || progress.isWaiting();
    }

    private String silence() {
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
