package io.jenkins.plugins.compressionaware.engine.http;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.Serializable;
import java.util.EnumSet;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * An agent's report on the direct lanes of a finished transfer.
 *
 * @param url         address of the requests; null if no address responded
 * @param connections number of lanes that were opened
 * @param wireBytes   bytes that these lanes delivered
 * @param problem     first failure of a connection that was not replaced, or the reason why no address can be used; null if there was none
 * @param failures    causes of failures; an array, so that an agent cannot substitute another type
 * @param bodyLimit   limit for a body with several frames, bytes, lowered when a proxy rejects a body; {@link DirectLaneOffer#bodyLimit} of the next offer
 * @param answerNanos time of the quickest request, nanoseconds, which may be the probe: long if a proxy delays each request; 0 if no address responded
 */
@Restricted(NoExternalUse.class)
public record DirectLaneReport(
        @CheckForNull String url,
        int connections,
        long wireBytes,
        @CheckForNull String problem,
        LaneFailure[] failures,
        Outcome outcome,
        int bodyLimit,
        long answerNanos)
        implements Serializable {
    public enum Outcome {
        WORKED,
        /** At least one connection failed, and others delivered bytes. */
        LOST_A_CONNECTION,
        /** No address answered, all connections failed, or one failed and none delivered bytes. */
        LOST
    }

    /** Returns whether the channel replaced the direct lanes; true also for a null outcome, which an agent may send. */
    public boolean failed() {
        return outcome != Outcome.WORKED && outcome != Outcome.LOST_A_CONNECTION;
    }

    public EnumSet<LaneFailure> kinds() {
        return LaneFailure.set(failures);
    }
}
