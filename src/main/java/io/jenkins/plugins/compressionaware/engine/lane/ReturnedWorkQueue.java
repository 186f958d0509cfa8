package io.jenkins.plugins.compressionaware.engine.lane;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.util.ArrayDeque;
import java.util.Queue;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Keeps a transfer's streams in reserve for work that direct lanes return: a direct lane may fail, but a stream cannot fail without failing the
 * transfer. A stream does returned work first, and other work only while no direct lane works. Not thread-safe; guarded by the owner's lock.
 *
 * @param <W> work of a lane
 */
@Restricted(NoExternalUse.class)
public final class ReturnedWorkQueue<W> {
    private final Queue<W> returned = new ArrayDeque<>();
    private int directLanes;

    public void begin(int lanes) {
        directLanes += lanes;
    }

    public void end() {
        directLanes--;
    }

    /** Adds work that from now on only a stream may do. */
    public void returnWork(W work) {
        returned.add(work);
    }

    /** Returns the next work for a stream; null if no work has been returned. */
    @CheckForNull
    public W poll() {
        return returned.poll();
    }

    /** Returns whether a stream must wait, because a direct lane may still return work. */
    public boolean streamsMustWait() {
        return directLanes > 0;
    }
}
