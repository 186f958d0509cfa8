package io.jenkins.plugins.compressionaware.engine.http;

import java.util.concurrent.TimeUnit;

/** Decides how long to wait for an address, and whether a new connection replaces a failed lane. Thread-safe. */
record ReplacementRule(DirectLaneOffer offer, LaneClock clock) {
    /**
     * Limits of a request for which a transfer that requires direct lanes waits for an address that does not answer: five minutes, because the controller or a
     * proxy may be suspended or restarted.
     */
    private static final int MAX_SILENT_LIMITS = 30;

    /**
     * Returns whether an address may still begin to answer, because it is not silent for long.
     *
     * @param more time limits of a request to wait in addition
     */
    boolean isPatient(int more) {
        int limits = more + (offer.required() ? MAX_SILENT_LIMITS : 1);
        return clock.silentNanos()
                < TimeUnit.MILLISECONDS.toNanos(limits * offer.limits().requestMillis());
    }

    /**
     * Returns whether a new connection may work. A connection may break once, or after it has worked. Never throws.
     *
     * @param first          whether the lane is not a replacement
     * @param deliveredBytes of all lanes
     */
    boolean allows(DirectLane<?> lane, Throwable reason, boolean first, long deliveredBytes) {
        try {
            LaneFailure kind = LaneFailure.of(reason);
            boolean broken = kind == LaneFailure.OTHER || kind == LaneFailure.CONTENT;
            if (lane.deliveredBytes() > 0 ? broken || kind.isSilence() : first && broken) {
                return true;
            }
            boolean rejected =
                    kind == LaneFailure.REFUSED || kind == LaneFailure.BUSY || kind == LaneFailure.UNREACHABLE;
            return offer.required() && isPatient(0) && (kind.isSilence() || deliveredBytes > 0 && (broken || rejected));
        } catch (Throwable full) { // usually an OutOfMemoryError
            return false;
        }
    }
}
