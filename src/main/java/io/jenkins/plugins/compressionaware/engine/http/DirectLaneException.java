package io.jenkins.plugins.compressionaware.engine.http;

import java.io.IOException;
import java.util.EnumSet;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Thrown when a direct lane is required but cannot be used. */
@Restricted(NoExternalUse.class)
public final class DirectLaneException extends IOException {
    private static final long serialVersionUID = 1L;

    private final LaneFailure[] failures;

    DirectLaneException(String message, LaneFailure... failures) {
        super(message);
        this.failures = failures;
    }

    /** Returns the causes of all failed attempts. */
    public EnumSet<LaneFailure> kinds() {
        return LaneFailure.set(failures);
    }
}
