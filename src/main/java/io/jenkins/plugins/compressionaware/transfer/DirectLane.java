package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The work of one connection of {@link DirectLanes}. Its thread may be where nothing can reach it, as while it resolves a name, and what is in its hands
 * must not wait for that: another thread may end it in its stead.
 */
@Restricted(NoExternalUse.class)
public interface DirectLane {
    /** Works until there is no more. */
    void run() throws IOException, InterruptedException;

    /** Whether a request runs longer than it may, with something in hand that others could do. */
    boolean isStalled();

    /**
     * Ends it: from now on nothing it does counts.
     *
     * @return gives back what may not have been delivered, and says that there is one lane less; null if it had ended before
     */
    @CheckForNull
    Runnable end();

    /** Bytes that were delivered. */
    long delivered();
}
