package io.jenkins.plugins.compressionaware.engine.lane;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * One connection of {@link DirectLaneGroup}, and the work that it has not delivered yet. The lane's thread may be out of reach, for instance while it
 * resolves a name. Its work must not wait for that, so another thread may end a lane that stalls.
 *
 * @param <W> work of one or more requests
 */
@Restricted(NoExternalUse.class)
public abstract class DirectLane<W> {
    private final HttpLaneConnection connection;
    /** Created in advance, because the heap may be full. */
    private final Runnable giveBack = this::giveBack;

    // guarded by this, as is all that follows
    private W inHand;
    private boolean ended;
    private long deliveredBytes;

    protected DirectLane(HttpLaneConnection connection) {
        this.connection = connection;
    }

    /** Waits for work; returns null if there is no more. */
    @CheckForNull
    protected abstract W take() throws IOException, InterruptedException;

    /** Delivers work, and confirms each part of it. */
    protected abstract void deliver(W work, HttpLaneConnection connection) throws IOException;

    /**
     * Reports one lane fewer.
     *
     * @param undelivered work for others; null if the lane has none
     */
    protected abstract void giveBack(@CheckForNull W undelivered);

    /** Works until there is no more. */
    public final void run() throws IOException, InterruptedException {
        for (W work = take(); work != null; work = take()) {
            hold(work);
            deliver(work, connection);
            hold(null);
        }
    }

    private synchronized void hold(@CheckForNull W work) {
        inHand = work;
    }

    /** @throws IOException if the lane has ended, and others have its work */
    protected final synchronized void confirm(int bytes) throws IOException {
        if (ended) {
            throw new IOException("the receipt came too late");
        }
        deliveredBytes += bytes;
    }

    /** Whether a request has exceeded its time limit while the lane holds work that others could do. */
    public final synchronized boolean isStalled() {
        return inHand != null && connection.isStalled();
    }

    /**
     * Ends the lane, which confirms nothing from now on. Allocates nothing, because the heap may be full.
     *
     * @return a task that gives back work that may not have been delivered, and reports one lane fewer; null if the lane had ended before
     */
    @CheckForNull
    public final synchronized Runnable end() {
        Runnable task = ended ? null : giveBack;
        ended = true;
        return task;
    }

    /** Like {@link #end} if the lane is stalled; otherwise returns null. */
    @CheckForNull
    final synchronized Runnable endIfStalled() {
        return isStalled() ? end() : null;
    }

    private void giveBack() {
        W undelivered;
        synchronized (this) {
            undelivered = inHand;
        }
        giveBack(undelivered);
    }

    /** Returns the bytes that were delivered. */
    public final synchronized long deliveredBytes() {
        return deliveredBytes;
    }
}
