package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.flow.Tasks;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.Executor;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Tells the sender the newest grant, on a thread of the executor, so that the granting thread never waits. The sender may not listen: remoting lets
 * a write wait for ever if its pipe was never connected or is never read, even when the agent has gone. A newer grant replaces one that has not been
 * told, since each counts from the start. No method waits; any thread may call them.
 */
final class CreditWriter implements Closeable {
    private static final Logger LOGGER = Logger.getLogger(CreditWriter.class.getName());

    /** Milliseconds that a write may take once nobody needs it. */
    private static final long CLOSE_TIMEOUT_MILLIS = 10_000;

    private final OutputStream out;
    private final Executor executor;
    private final long lastWrite;

    // guarded by this, like the next three fields
    private Credit.Grant pending;
    private Thread telling;
    private boolean failed;
    private boolean over;

    CreditWriter(OutputStream out, Executor executor) {
        this(out, executor, CLOSE_TIMEOUT_MILLIS);
    }

    /** @param lastWrite milliseconds that a write may take after {@link #close} */
    CreditWriter(OutputStream out, Executor executor, long lastWrite) {
        this.out = out;
        this.executor = executor;
        this.lastWrite = lastWrite;
    }

    /** Sends a grant. If the executor refuses or loses the task, or the write fails, the next grant replaces this grant. */
    void send(Credit.Grant grant) {
        synchronized (this) {
            pending = over ? null : grant;
            if (over || telling != null) {
                return;
            }
        }
        Tasks.begin(executor, this::tellAll);
    }

    private void tellAll() {
        for (Credit.Grant next = next(); next != null; next = next()) {
            boolean done = false;
            try {
                out.write(next.toBytes());
                done = true;
            } catch (Throwable e) { // remoting may throw anything while it builds a command
                LOGGER.log(Level.FINE, "Cannot send a grant", e);
            } finally {
                told(done);
            }
        }
    }

    private synchronized Credit.Grant next() {
        Credit.Grant next = telling == null ? pending : null;
        if (next != null) {
            pending = null;
            telling = Thread.currentThread();
        }
        return next;
    }

    private synchronized void told(boolean done) {
        telling = null;
        failed = !done;
        notifyAll();
    }

    /** Returns whether the last write failed. */
    synchronized boolean hasFailed() {
        return failed;
    }

    private synchronized void end() {
        over = true;
        pending = null;
    }

    private synchronized boolean isIdle() {
        return telling == null;
    }

    /** Tells nothing more and closes the stream, later if it is being written to. */
    @Override
    public void close() {
        end();
        if (!Tasks.begin(executor, this::finish)) {
            LOGGER.fine("No thread to close the stream of credits");
        }
    }

    private void finish() {
        try {
            awaitLastWrite();
            out.close();
        } catch (IOException | RuntimeException e) {
            LOGGER.log(Level.FINE, "The stream of credits was not closed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // the stream must not be closed first: that waits for the write. Nor is a write broken off at once: an interrupt
    // within a channel that works could close it
    private synchronized void awaitLastWrite() throws InterruptedException {
        if (!Tasks.await(this, this::isIdle, lastWrite * 1_000_000)) {
            telling.interrupt();
        }
    }
}
