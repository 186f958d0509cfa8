package io.jenkins.plugins.compressionaware.engine.receive;

import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Supplies the frames that an agent's bootstrap calls return, before any frame arrives over a lane. Not thread-safe. */
@FunctionalInterface
@Restricted(NoExternalUse.class)
public interface BootstrapFrames {
    /**
     * Waits for the next bytes and returns them. The bytes contain frames in order, numbered from 0, and may end within a frame.
     *
     * @return null after the last frame; unless that is the end frame, the remaining frames arrive over lanes, numbered from 0 again
     */
    byte[] next() throws IOException, InterruptedException;
}
