package io.jenkins.plugins.compressionaware.engine.run;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.Closeable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * An agent's end of a transfer, registered by a number so that the controller can cancel it, or query its state when no data arrives. Remoting's own
 * cancellation could interrupt the thread while it writes the result of its call, see {@link UninterruptedWrites}. Thread-safe.
 */
@Restricted(NoExternalUse.class)
public final class AgentEnd implements Closeable {
    /** State: no transfer with this number runs in this JVM. */
    public static final int UNKNOWN = 0;

    /** State: this end processes files or waits for its disk, for any length of time. */
    public static final int BUSY = 1;

    /** State: this end waits for the controller. */
    public static final int WAITS = 2;

    /** State: this end waits for a store, which answers, or whose requests are repeated and fail in the end. */
    public static final int WAITS_FOR_STORE = 3;

    private static final Map<Long, AgentEnd> RUNNING = new ConcurrentHashMap<>();

    private final long id;
    private final UninterruptedWrites writes = new UninterruptedWrites();
    private volatile Part part;

    /** Runs the transfer; null while an interrupt is not allowed. */
    @GuardedBy("this")
    private Thread thread;

    @GuardedBy("this")
    private boolean cancelled;

    private AgentEnd(long id) {
        this.id = id;
    }

    public interface Part {
        /**
         * Returns three numbers: {@link #BUSY}, {@link #WAITS} or {@link #WAITS_FOR_STORE}; the wire bytes sent or received so far; and the limit up to
         * which this end may send or has requested bytes.
         */
        long[] state();
    }

    /** Registers an end, initially busy. The caller must close it. */
    public static AgentEnd begin(long id) {
        AgentEnd end = new AgentEnd(id);
        RUNNING.put(id, end);
        return end;
    }

    /** Sets the part that does the work. From now on, the calling thread can be interrupted, so it must not write to the channel before {@link #close}. */
    public synchronized void follow(Part newPart) {
        part = newPart;
        thread = Thread.currentThread();
        if (cancelled) {
            thread.interrupt();
        }
    }

    /** Returns what performs this end's writes to the channel, which go on after an abort. */
    public UninterruptedWrites writes() {
        return writes;
    }

    /** Interrupts the thread of a transfer, unless no such transfer runs in this JVM. */
    public static void cancel(long id) {
        AgentEnd end = RUNNING.get(id);
        if (end != null) {
            end.cancel();
        }
    }

    synchronized void cancel() {
        cancelled = true;
        if (thread != null) {
            thread.interrupt();
        }
    }

    /** Returns the state of a transfer in the form of {@link Part#state}. */
    public static long[] stateOf(long id) {
        AgentEnd end = RUNNING.get(id);
        Part part = end == null ? null : end.part;
        return part == null ? new long[] {end == null ? UNKNOWN : BUSY, 0, 0} : part.state();
    }

    /** Ends the registration, and clears the interrupt status of the calling thread, which can then write to the channel. */
    @Override
    public void close() {
        RUNNING.remove(id, this);
        synchronized (this) {
            thread = null;
        }
        Thread.interrupted();
    }
}
