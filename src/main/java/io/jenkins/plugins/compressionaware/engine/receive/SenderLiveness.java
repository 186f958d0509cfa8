package io.jenkins.plugins.compressionaware.engine.receive;

import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Checks whether a sender is still alive. The receiver calls it repeatedly while no frame arrives. */
@FunctionalInterface
@Restricted(NoExternalUse.class)
public interface SenderLiveness {
    /**
     * Returns normally while frames may still arrive.
     *
     * @throws IOException with the reason, if no further frame can arrive
     */
    void checkAlive() throws IOException, InterruptedException;
}
