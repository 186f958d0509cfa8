package io.jenkins.plugins.compressionaware.agent;

import hudson.FilePath;
import hudson.model.Computer;
import hudson.remoting.Future;
import io.jenkins.plugins.compressionaware.receive.Progress;
import io.jenkins.plugins.compressionaware.remote.TotalSize;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import java.io.Closeable;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import jenkins.util.Timer;

/**
 * How much there is to come: asks the agent for {@link TotalSize} once a transfer has run for some seconds, until there is an answer or this is closed. No
 * thread waits for the agent.
 */
final class Forecast implements Closeable {
    private static final Logger LOGGER = Logger.getLogger(Forecast.class.getName());

    /** When a transfer is asked, milliseconds: shortly before its first line. */
    private static final int ASKED_AFTER = 3000;

    /** How long after that it is looked for an answer, and again, milliseconds. */
    private static final int LOOKED_AFTER = 1000;

    private final FilePath workspace;
    private final TotalSize question;
    private final RunningTransfer running;
    private final long before;
    private volatile Future<Long> answer;
    private volatile boolean closed;

    /**
     * @param running whose progress is known
     * @param before  bytes of contents that have come without the engine
     */
    Forecast(FilePath workspace, String id, RunningTransfer running, long before) {
        this.workspace = workspace;
        this.running = running;
        this.before = before;
        Progress progress = Objects.requireNonNull(running.progress(), "the receiver is there first");
        question = new TotalSize(id, progress.contentBytes() < 0);
        later(ASKED_AFTER);
    }

    private void later(int millis) {
        try {
            // a write to the channel may wait, and the timer's few threads are no place for that
            Timer.get()
                    .schedule(() -> Computer.threadPoolForRemoting.execute(this::look), millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException | OutOfMemoryError e) { // there is no thread to be had
            LOGGER.log(Level.FINE, "It stays unknown how much there is to send", e);
        }
    }

    private void look() {
        try {
            if (answer == null) {
                answer = workspace.actAsync(question);
            } else if (answer.isDone()) {
                long total = answer.get();
                if (total >= 0) {
                    running.expect(before + total);
                    return;
                }
                answer = null;
            }
            if (closed) {
                close();
            } else {
                later(LOOKED_AFTER);
            }
        } catch (IOException | ExecutionException | RuntimeException e) {
            LOGGER.log(Level.FINE, "It stays unknown how much there is to send", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        closed = true;
        Future<Long> asked = answer;
        if (asked != null) {
            AgentCall.cancel(asked);
        }
    }
}
