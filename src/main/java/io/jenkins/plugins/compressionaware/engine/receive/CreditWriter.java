package io.jenkins.plugins.compressionaware.engine.receive;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.flow.Tasks;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Sends the latest grant of {@link Credit} on an executor thread so that the caller never blocks. Remoting can block such a write forever if the agent never
 * connects or reads its pipe, even after the agent has disconnected. Grants are cumulative, so a newer grant replaces an unsent grant. Thread-safe.
 */
final class CreditWriter implements Closeable {
    private static final Logger LOGGER = Logger.getLogger(CreditWriter.class.getName());

    /** Milliseconds that a running write may take after {@link #close}. */
    static final long CLOSE_TIMEOUT_MILLIS = 10_000;

    private final OutputStream out;
    private final Executor executor;
    private final long closeTimeoutMillis;

    @GuardedBy("this")
    private Long pending;

    @GuardedBy("this")
    private Thread writing;

    @GuardedBy("this")
    private boolean failed;

    @GuardedBy("this")
    private boolean closed;

    /** @param closeTimeoutMillis milliseconds that a running write may take after {@link #close} */
    CreditWriter(OutputStream out, Executor executor, long closeTimeoutMillis) {
        this.out = out;
        this.executor = executor;
        this.closeTimeoutMillis = closeTimeoutMillis;
    }

    /** Sends a grant. If the executor refuses or loses the task, or the write fails, the next grant includes this one. */
    void send(long grant) {
        synchronized (this) {
            pending = closed ? null : grant;
            if (closed || writing != null) {
                return;
            }
        }
        Tasks.begin(executor, this::sendPending);
    }

    private void sendPending() {
        for (Long next = next(); next != null; next = next()) {
            boolean succeeded = false;
            try {
                out.write(ByteBuffer.allocate(Long.BYTES).putLong(next).array());
                succeeded = true;
            } catch (Throwable e) { // Remoting may throw anything while it builds a command
                LOGGER.log(Level.FINE, "Cannot send a credit grant", e);
            } finally {
                recordOutcome(succeeded);
            }
        }
    }

    private synchronized Long next() {
        Long next = writing == null ? pending : null;
        if (next != null) {
            pending = null;
            writing = Thread.currentThread();
        }
        return next;
    }

    private synchronized void recordOutcome(boolean succeeded) {
        writing = null;
        failed = !succeeded;
        notifyAll();
    }

    /** Returns whether the last write failed. */
    synchronized boolean hasFailed() {
        return failed;
    }

    private synchronized boolean isIdle() {
        return writing == null;
    }

    /** Drops an unsent grant and closes the stream on an executor thread, after a running write has ended or timed out. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            pending = null;
        }
        if (!Tasks.begin(executor, this::finish)) {
            LOGGER.fine("Cannot close the credit stream: the executor has no thread for it");
        }
    }

    private void finish() {
        try {
            awaitRunningWrite();
            out.close();
        } catch (IOException | RuntimeException e) {
            LOGGER.log(Level.FINE, "Cannot close the credit stream", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // closing the stream first would wait for the write without a limit; interrupting the write at once could close a
    // working channel
    private synchronized void awaitRunningWrite() throws InterruptedException {
        if (!Tasks.await(this, this::isIdle, closeTimeoutMillis * 1_000_000)) {
            writing.interrupt();
        }
    }
}
