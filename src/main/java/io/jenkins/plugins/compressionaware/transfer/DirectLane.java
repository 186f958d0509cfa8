package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The work of one connection of {@link DirectLanes}. Its thread may be out of reach, for instance while it resolves a name. The work that it holds must not
 * wait for that, so another thread may end the lane.
 */
@Restricted(NoExternalUse.class)
public interface DirectLane {
    /** Works until there is no more. */
    void run() throws IOException, InterruptedException;

    /** Whether a request has exceeded its time limit while the lane holds work that others could do. */
    boolean isStalled();

    /**
     * Ends the lane: its later results are ignored. Allocates nothing, because the heap may be full.
     *
     * @return a task that gives back work that may not have been delivered, and reports one lane fewer; null if the lane had ended before
     */
    @CheckForNull
    Runnable end();

    /** Bytes that were delivered. */
    long delivered();
}
