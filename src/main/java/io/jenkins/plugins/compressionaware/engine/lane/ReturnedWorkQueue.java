package io.jenkins.plugins.compressionaware.engine.lane;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.util.ArrayDeque;
import java.util.Queue;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Keeps the streams of a transfer free for work that direct lanes give back. A stream loses nothing without ending the transfer; a direct lane may fail, and gives
 * back what it has not delivered. A stream that asks is therefore given, in this order:
 * <ol>
 * <li>work that was given back;
 * <li>nothing, while there are direct lanes: it waits;
 * <li>what the direct lanes are given, too.
 * </ol>
 *
 * <p>Guarded by the lock of its owner.
 *
 * @param <W> work of a lane
 */
@Restricted(NoExternalUse.class)
public final class ReturnedWorkQueue<W> {
    private final Queue<W> givenBack = new ArrayDeque<>();
    private int directLanes;

    /** Direct lanes begin. */
    public void begin(int lanes) {
        directLanes += lanes;
    }

    /** One direct lane has ended. */
    public void end() {
        directLanes--;
    }

    /** Only a stream does this work. */
    public void returnWork(W work) {
        givenBack.add(work);
    }

    /** For a stream: work that was given back; null if there is none now. */
    @CheckForNull
    public W poll() {
        return givenBack.poll();
    }

    /** Whether a stream must wait for work to be given back. */
    public boolean streamsMustWait() {
        return directLanes > 0;
    }
}
