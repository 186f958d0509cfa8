package io.jenkins.plugins.compressionaware.engine.lane;

import java.io.IOException;
import java.util.EnumSet;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** A direct lane is required and does not work. */
@Restricted(NoExternalUse.class)
public final class DirectLaneException extends IOException {
    private static final long serialVersionUID = 1L;

    private final LaneFailure[] said;

    DirectLaneException(String message, LaneFailure... said) {
        super(message);
        this.said = said;
    }

    /** The kinds of trouble. */
    public EnumSet<LaneFailure> kinds() {
        return LaneFailure.set(said);
    }
}
