package io.jenkins.plugins.compressionaware.engine.receive;

import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Asked now and then while the receiver waits for bytes. */
@FunctionalInterface
@Restricted(NoExternalUse.class)
public interface SenderLiveness {
    /**
     * Returns while bytes can still come.
     *
     * @throws IOException the reason why none will come any more
     */
    void checkAlive() throws IOException, InterruptedException;
}
