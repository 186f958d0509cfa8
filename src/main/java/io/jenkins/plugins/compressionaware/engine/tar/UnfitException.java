package io.jenkins.plugins.compressionaware.engine.tar;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** A recipe does not make its file: the earlier build was deleted or changed, or a piece differs. The file itself has to be sent. */
@Restricted(NoExternalUse.class)
public final class UnfitException extends IOException {
    private static final long serialVersionUID = 1L;

    public UnfitException(@CheckForNull Exception cause) {
        super("Not as it was in the earlier build", cause);
    }
}
