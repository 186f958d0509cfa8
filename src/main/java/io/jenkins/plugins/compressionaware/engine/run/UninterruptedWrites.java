package io.jenkins.plugins.compressionaware.engine.run;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Performs channel writes that an abort cannot cut short. Over a WebSocket, Remoting sends a command as several messages and stops between two of them when the
 * thread is interrupted; the other end then reads the channel's next command, which may be another build's, as the remainder. Only the end of the channel
 * interrupts a write. Thread-safe.
 */
@Restricted(NoExternalUse.class)
public final class UninterruptedWrites {
    @GuardedBy("this")
    private final Set<Thread> writing = new HashSet<>();

    @GuardedBy("this")
    private boolean closed;

    /** Writes the bytes completely. Throws an {@link InterruptedIOException} if {@link #close} or {@link #channelClosed} is called before or meanwhile. */
    public void write(OutputStream out, byte[] bytes) throws IOException {
        synchronized (this) {
            check();
            writing.add(Thread.currentThread());
        }
        try {
            out.write(bytes);
        } finally {
            synchronized (this) {
                writing.remove(Thread.currentThread());
            }
        }
        synchronized (this) {
            check();
        }
    }

    @GuardedBy("this")
    private void check() throws InterruptedIOException {
        if (closed) {
            throw new InterruptedIOException("the transfer is over");
        }
    }

    /**
     * Refuses new writes, and interrupts those of the threads that are not writing; each of the others fails after its write. Does not wait.
     *
     * @return whether no thread is writing
     */
    public synchronized boolean close(Collection<Thread> threads) {
        closed = true;
        for (Thread thread : threads) {
            if (!writing.contains(thread)) {
                thread.interrupt();
            }
        }
        return writing.isEmpty();
    }

    /** Refuses new writes, and interrupts running ones: Remoting does not wake a thread that waits for space in a pipe when its channel closes. */
    public synchronized void channelClosed() {
        closed = true;
        writing.forEach(Thread::interrupt);
    }
}
