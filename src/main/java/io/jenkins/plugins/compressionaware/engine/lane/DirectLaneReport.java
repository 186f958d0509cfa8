package io.jenkins.plugins.compressionaware.engine.lane;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.Serializable;
import java.util.EnumSet;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * An agent's report on the direct lanes of a finished transfer.
 *
 * @param url         address of the requests; null if none answered
 * @param connections number of lanes that were opened
 * @param wireBytes   bytes that these lanes have delivered
 * @param problem     the first failure of a connection that was not replaced, or why no address can be used; null if there was none
 * @param failures        kinds of trouble; an array, so that an agent cannot send anything else
 * @param bodyLimit   bytes of a body with several frames that nothing on the way has refused, for {@link DirectLaneOffer#bodyLimit} of the next offer
 */
@Restricted(NoExternalUse.class)
public record DirectLaneReport(
        @CheckForNull String url,
        int connections,
        long wireBytes,
        @CheckForNull String problem,
        LaneFailure[] failures,
        Outcome outcome,
        int bodyLimit)
        implements Serializable {
    /** How direct lanes ended. */
    public enum Outcome {
        WORKED,
        /** At least one connection failed, and others delivered bytes. */
        LOST_A_CONNECTION,
        /** No address answered, all connections failed, or one failed and none delivered bytes. */
        LOST
    }

    /** Whether the channel replaced the direct lanes; an agent may send null. */
    public boolean failed() {
        return outcome != Outcome.WORKED && outcome != Outcome.LOST_A_CONNECTION;
    }

    /** The kinds of trouble. */
    public EnumSet<LaneFailure> kinds() {
        return LaneFailure.set(failures);
    }
}
