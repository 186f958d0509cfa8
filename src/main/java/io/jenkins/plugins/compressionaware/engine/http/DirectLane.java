package io.jenkins.plugins.compressionaware.engine.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * One connection of a {@link DirectLaneGroup}, with the work that it has not delivered yet. Thread-safe, except that only the lane's own thread calls
 * {@link #run}: another thread may end a lane that stalls, for example in a name lookup, so that other lanes can do its work.
 *
 * @param <W> work of one or more requests
 */
@Restricted(NoExternalUse.class)
public abstract class DirectLane<W> {
    private final HttpLaneConnection connection;

    @GuardedBy("this")
    private W inFlight;

    @GuardedBy("this")
    private boolean ended;

    @GuardedBy("this")
    private long deliveredBytes;

    /** Shortest time of delivered work, nanoseconds. */
    @GuardedBy("this")
    private long quickestNanos = Long.MAX_VALUE;

    protected DirectLane(HttpLaneConnection connection) {
        this.connection = connection;
    }

    /** Waits for the next work; returns null if none is left. */
    @CheckForNull
    protected abstract W take() throws IOException, InterruptedException;

    /** Delivers work, and calls {@link #confirm} for each delivered part. */
    protected abstract void deliver(W work, HttpLaneConnection connection) throws IOException;

    /**
     * Returns undelivered work to the client, and reports one lane fewer.
     *
     * @param undelivered null if the lane has delivered everything
     */
    protected abstract void giveBack(@CheckForNull W undelivered);

    /** Takes and delivers work until none is left. */
    public final void run() throws IOException, InterruptedException {
        for (W work = take(); work != null; work = take()) {
            hold(work);
            long start = System.nanoTime();
            deliver(work, connection);
            release(System.nanoTime() - start);
        }
    }

    private synchronized void hold(W work) {
        inFlight = work;
    }

    private synchronized void release(long nanos) {
        inFlight = null;
        quickestNanos = Math.min(quickestNanos, nanos);
    }

    /**
     * Counts delivered bytes.
     *
     * @throws IOException if the lane has ended and its work was returned
     */
    protected final synchronized void confirm(int bytes) throws IOException {
        if (ended) {
            throw new IOException("the receipt came too late");
        }
        deliveredBytes += bytes;
    }

    /** Returns whether a request has exceeded its time limit while the lane holds work that other lanes could do. */
    public final synchronized boolean isStalled() {
        return !ended && inFlight != null && connection.isStalled();
    }

    /**
     * Ends the lane: {@link #confirm} fails from now on. Allocates nothing, because the heap may be full.
     *
     * @return whether this call has ended the lane; the caller must then call {@link #returnWork}
     */
    public final synchronized boolean end() {
        boolean endsNow = !ended;
        ended = true;
        return endsNow;
    }

    /** Ends the lane like {@link #end} if it is stalled; otherwise returns false. */
    final synchronized boolean endIfStalled() {
        return isStalled() && end();
    }

    /** Returns work of unknown delivery to the client, and reports one lane fewer. */
    public final void returnWork() {
        W undelivered;
        synchronized (this) {
            undelivered = inFlight;
        }
        giveBack(undelivered);
    }

    /** Returns the number of bytes delivered so far. */
    public final synchronized long deliveredBytes() {
        return deliveredBytes;
    }

    final synchronized long quickestNanos() {
        return quickestNanos;
    }

    /** Returns whether a request of this lane was answered. */
    final synchronized boolean isAnswered() {
        return quickestNanos < Long.MAX_VALUE;
    }
}
