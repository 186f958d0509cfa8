package io.jenkins.plugins.compressionaware.engine.receive;

import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Checks whether a sender is still alive. The receiver calls it repeatedly while no frame arrives. */
@FunctionalInterface
@Restricted(NoExternalUse.class)
public interface SenderLiveness {
    /** Returns if frames may still arrive; otherwise throws an exception with the reason. */
    void checkAlive() throws IOException, InterruptedException;
}
