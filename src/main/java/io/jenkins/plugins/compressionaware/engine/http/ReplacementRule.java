package io.jenkins.plugins.compressionaware.engine.http;

import java.util.concurrent.TimeUnit;

/** Decides whether a new connection replaces a failed lane. Thread-safe. */
record ReplacementRule(DirectLaneOffer offer, LaneClock clock) {
    /**
     * Limits of a request for which a transfer that requires direct lanes waits for an address that has worked: five minutes, because the controller or a proxy
     * may be suspended or restarted.
     */
    private static final int MAX_SILENT_LIMITS = 30;

    /**
     * Returns whether a new connection may work. A connection may break once, or after it has worked. Never throws.
     *
     * @param first          whether the lane is not a replacement
     * @param deliveredBytes of all lanes
     */
    boolean allows(DirectLane<?> lane, Throwable reason, boolean first, long deliveredBytes) {
        try {
            LaneFailure kind = LaneFailure.of(reason);
            boolean broken = kind == LaneFailure.OTHER || kind == LaneFailure.TIMEOUT;
            if (lane.deliveredBytes() > 0 ? broken : first && kind == LaneFailure.OTHER) {
                return true;
            }
            long limit = TimeUnit.MILLISECONDS.toNanos(
                    MAX_SILENT_LIMITS * offer.limits().requestMillis());
            return offer.required()
                    && deliveredBytes > 0
                    && clock.silentNanos() < limit
                    && (broken || kind == LaneFailure.REFUSED || kind == LaneFailure.UNREACHABLE);
        } catch (Throwable full) { // usually an OutOfMemoryError
            return false;
        }
    }
}
