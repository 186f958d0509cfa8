package io.jenkins.plugins.compressionaware.report;

import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Thrown when a stash is damaged on the controller's disk. A repeated unstash would fail, unlike after damage on the network. */
@Restricted(NoExternalUse.class)
public final class DamagedStashException extends IOException {
    private static final long serialVersionUID = 1L;

    public DamagedStashException(String message, Throwable cause) {
        super(message, cause);
    }
}
