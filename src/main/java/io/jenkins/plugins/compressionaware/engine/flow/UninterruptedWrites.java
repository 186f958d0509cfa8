package io.jenkins.plugins.compressionaware.engine.flow;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Performs channel writes that an abort cannot cut short. Over a WebSocket, Remoting sends a command as several messages and stops between two of them when the
 * thread is interrupted; the other end then reads the channel's next command, which may be another build's, as the remainder. Thread-safe.
 */
@Restricted(NoExternalUse.class)
public final class UninterruptedWrites {
    /** Nanoseconds that a running write gets when the transfer ends. A channel that needs longer for 100 KiB is as good as broken. */
    private static final long CLOSE_TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Allocated early, because the heap may be full when it is needed. */
    private final BooleanSupplier isIdle = this::isIdle;

    @GuardedBy("this")
    private int running;

    @GuardedBy("this")
    private boolean closed;

    /** Writes the bytes completely. Throws an {@link InterruptedIOException} after {@link #closeAndAwait}. */
    public void write(OutputStream out, byte[] bytes) throws IOException {
        synchronized (this) {
            if (closed) {
                throw new InterruptedIOException("the transfer is over");
            }
            running++;
        }
        try {
            out.write(bytes);
        } finally {
            synchronized (this) {
                running--;
                notifyAll();
            }
        }
    }

    /** Refuses new writes, and waits up to two seconds for running ones. An interrupt of the caller does not shorten the wait. */
    public synchronized void closeAndAwait() {
        closed = true;
        Tasks.awaitUninterruptibly(this, isIdle, CLOSE_TIMEOUT_NANOS);
    }

    private synchronized boolean isIdle() {
        return running == 0;
    }
}
