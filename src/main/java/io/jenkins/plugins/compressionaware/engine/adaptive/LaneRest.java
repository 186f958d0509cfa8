package io.jenkins.plugins.compressionaware.engine.adaptive;

/** The rest of direct lanes after a failure or a late request. Its minimum doubles each time, until they work again. Not thread-safe. */
final class LaneRest {
    private static final double FIRST_MINIMUM_NANOS = 5e7;
    private static final double LONGEST_MINIMUM_NANOS = 60e9;

    private double minimum = FIRST_MINIMUM_NANOS;
    private double until = Double.NEGATIVE_INFINITY;

    /** Begins a rest of {@code nanos}, or of the minimum if that is longer. */
    void begin(double nanos, double now) {
        until = now + Math.max(minimum, nanos);
        minimum = Math.min(LONGEST_MINIMUM_NANOS, 2 * minimum);
    }

    /** Returns whether a rest has begun and is not over. */
    boolean lasts(double now) {
        return now < until;
    }

    /** Resets the minimum, because direct lanes work. */
    void forgetFailures() {
        minimum = FIRST_MINIMUM_NANOS;
    }
}
