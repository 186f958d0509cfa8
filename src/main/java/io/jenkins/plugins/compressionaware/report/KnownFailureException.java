package io.jenkins.plugins.compressionaware.report;

import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** A failure that troubleshooting.md explains in a row of its own. The message is localized, so {@link StepFailure} cannot find the row by its text. */
@Restricted(NoExternalUse.class)
public final class KnownFailureException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String anchor;

    /** @param anchor the row's anchor */
    public KnownFailureException(String anchor, String message) {
        this(anchor, message, null);
    }

    public KnownFailureException(String anchor, String message, Throwable cause) {
        super(message, cause);
        this.anchor = anchor;
    }

    String anchor() {
        return anchor;
    }
}
