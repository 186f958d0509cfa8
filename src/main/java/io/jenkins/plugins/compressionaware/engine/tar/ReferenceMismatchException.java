package io.jenkins.plugins.compressionaware.engine.tar;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Thrown when a delta cannot reproduce its file, because the reference archive was deleted or modified. The sender must then send the whole file. */
@Restricted(NoExternalUse.class)
public final class ReferenceMismatchException extends IOException {
    private static final long serialVersionUID = 1L;

    public ReferenceMismatchException(@CheckForNull Exception cause) {
        super("The delta does not reproduce its file", cause);
    }
}
