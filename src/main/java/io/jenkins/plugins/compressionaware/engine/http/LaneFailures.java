package io.jenkins.plugins.compressionaware.engine.http;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.util.EnumSet;

/** The failures of the direct lanes of one transfer, and the outcome that follows from them. Guarded by the lock of its {@link DirectLaneGroup}. */
final class LaneFailures {
    private final EnumSet<LaneFailure> kinds = EnumSet.noneOf(LaneFailure.class);
    private String reason;

    /**
     * Adds a cause.
     *
     * @param deliveredBytes of all lanes
     */
    void add(Throwable failure, long deliveredBytes) {
        LaneFailure kind = LaneFailure.of(failure);
        kinds.add(kind == LaneFailure.TIMEOUT && deliveredBytes > 0 ? LaneFailure.STALLED : kind);
    }

    /** Adds the failure of a lane, for messages, too. */
    void add(Throwable failure, long deliveredBytes, String url) {
        add(failure, deliveredBytes);
        explain(url + ": " + LaneFailure.reason(failure));
    }

    /** Sets the reason of a failure, for messages. The first one is kept. */
    void explain(String why) {
        reason = reason == null ? why : reason;
    }

    /** Forgets requests without an answer, before they are repeated. Returns whether there were some. */
    boolean forgetSilence() {
        return kinds.removeIf(LaneFailure::isSilence);
    }

    /** Returns the reason of the first failure; null if there was none. */
    @CheckForNull
    String reason() {
        return reason;
    }

    LaneFailure[] kinds() {
        return kinds.toArray(new LaneFailure[0]);
    }

    /** @param all whether all lanes, or all probes, have failed */
    DirectLaneReport report(
            @CheckForNull String url, int lanes, long deliveredBytes, boolean all, int bodyLimit, long answerNanos) {
        DirectLaneReport.Outcome outcome =
                reason == null ? DirectLaneReport.Outcome.WORKED : DirectLaneReport.Outcome.LOST_A_CONNECTION;
        // the transfer may end before all of its lanes have sent a request
        if (all || reason != null && deliveredBytes == 0) {
            outcome = DirectLaneReport.Outcome.LOST;
        }
        return new DirectLaneReport(url, lanes, deliveredBytes, reason, kinds(), outcome, bodyLimit, answerNanos);
    }
}
