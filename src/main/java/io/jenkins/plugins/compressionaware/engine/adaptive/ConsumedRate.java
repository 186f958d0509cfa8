package io.jenkins.plugins.compressionaware.engine.adaptive;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;

/** Measures the rate at which a receiver consumes frames, from its grants. Not thread-safe. */
final class ConsumedRate {
    /** Minimum time over which the rate is averaged: the receiver consumes frames in order, many after a late one. */
    private static final double MIN_NANOS = 3e8;

    private long latest = -1;
    private double latestAt;
    private double bytes;
    private double nanos;

    /**
     * Records the latest grant.
     *
     * @param limit bytes since the start
     * @param span  nanoseconds over which the rate is averaged, at least {@link #MIN_NANOS}
     */
    void granted(long limit, double span, double now) {
        if (latest >= 0 && (limit - latest < Credit.STREAM_WINDOW / 2 || now <= latestAt)) {
            return;
        }
        if (latest >= 0) {
            double kept = Math.exp((latestAt - now) / Math.max(MIN_NANOS, span));
            bytes = kept * bytes + limit - latest;
            nanos = kept * nanos + now - latestAt;
        }
        latest = limit;
        latestAt = now;
    }

    /** Returns bytes per nanosecond; 0 if unknown. */
    double perNano() {
        return nanos == 0 ? 0 : bytes / nanos;
    }
}
