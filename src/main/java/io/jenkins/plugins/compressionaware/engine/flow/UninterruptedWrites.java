package io.jenkins.plugins.compressionaware.engine.flow;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Writes to a channel that are complete before the writing threads are interrupted. Over a WebSocket, remoting sends a command in messages of 8 KiB and gives
 * up after any of them when the thread is interrupted; the other end then takes the next command on the channel, of any build, for the rest. Any thread may
 * call any method.
 */
@Restricted(NoExternalUse.class)
public final class UninterruptedWrites {
    /** Nanoseconds for a write that is no longer needed. A channel that takes longer for 100 KiB is as good as broken. */
    private static final long CLOSE_TIMEOUT_MILLIS = TimeUnit.SECONDS.toNanos(2);

    /** Created before the heap may be full. */
    private final BooleanSupplier isIdle = this::isIdle;

    // guarded by this, like the next one
    private int running;
    private boolean over;

    /** @throws InterruptedIOException after {@link #closeAndAwait} */
    public void write(OutputStream out, byte[] bytes) throws IOException {
        begin();
        try {
            out.write(bytes);
        } finally {
            done();
        }
    }

    private synchronized void begin() throws InterruptedIOException {
        if (over) {
            throw new InterruptedIOException("the transfer is over");
        }
        running++;
    }

    private synchronized void done() {
        running--;
        notifyAll();
    }

    /** Refuses new writes, and waits at most two seconds for running ones. An interrupt of the caller does not shorten this. */
    public synchronized void closeAndAwait() {
        over = true;
        Tasks.awaitUninterruptibly(this, isIdle, CLOSE_TIMEOUT_MILLIS);
    }

    private synchronized boolean isIdle() {
        return running == 0;
    }
}
