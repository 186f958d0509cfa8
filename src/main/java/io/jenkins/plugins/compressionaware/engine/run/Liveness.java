package io.jenkins.plugins.compressionaware.engine.run;

import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Checks the other end of a transfer. Called every half second while this end waits. */
@FunctionalInterface
@Restricted(NoExternalUse.class)
public interface Liveness {
    /** Returns if the other end may still send; otherwise throws an exception with the reason. */
    void check() throws IOException, InterruptedException;
}
