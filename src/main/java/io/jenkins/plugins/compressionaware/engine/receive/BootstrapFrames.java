package io.jenkins.plugins.compressionaware.engine.receive;

import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Frames that come another way, before those of the lanes. Used by one thread. */
@FunctionalInterface
@Restricted(NoExternalUse.class)
public interface BootstrapFrames {
    /**
     * The next frames, in order, numbered from 0. Waits for them.
     *
     * @return null after the last of them; unless that was the end frame, the others come over lanes, numbered from 0 again
     */
    byte[] next() throws IOException, InterruptedException;
}
