package io.jenkins.plugins.compressionaware.engine.flow;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Sends the latest grant of {@link Credit} on an executor thread so that the caller never blocks. Remoting can block such a write forever if the agent never
 * connects or reads its pipe, even after the agent has disconnected. Grants are cumulative, so a newer grant replaces an unsent grant. Thread-safe.
 */
@Restricted(NoExternalUse.class)
public final class CreditWriter implements Closeable {
    private static final Logger LOGGER = Logger.getLogger(CreditWriter.class.getName());

    private final OutputStream out;
    private final Executor executor;

    @GuardedBy("this")
    private Long pending;

    @GuardedBy("this")
    private boolean writing;

    @GuardedBy("this")
    private boolean failed;

    @GuardedBy("this")
    private boolean closed;

    public CreditWriter(OutputStream out, Executor executor) {
        this.out = out;
        this.executor = executor;
    }

    /** Sends a grant. If the executor refuses or loses the task, or the write fails, the next grant includes this one. */
    public void send(long grant) {
        synchronized (this) {
            pending = closed ? null : grant;
            if (closed || writing) {
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
        Long next = writing ? null : pending;
        if (next != null) {
            pending = null;
            writing = true;
        }
        return next;
    }

    private synchronized void recordOutcome(boolean succeeded) {
        writing = false;
        failed = !succeeded;
    }

    /** Returns whether the last write failed. */
    public synchronized boolean hasFailed() {
        return failed;
    }

    /** Drops an unsent grant and closes the stream on an executor thread. Ends a write that waits for the agent to connect its pipe; any other is completed. */
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
            out.close();
        } catch (IOException | RuntimeException e) {
            LOGGER.log(Level.FINE, "Cannot close the credit stream", e);
        }
    }
}
