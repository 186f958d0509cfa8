package io.jenkins.plugins.compressionaware.bench;

/**
 * A target and what was measured.
 *
 * @param target   in words
 * @param limit    the figure to reach
 * @param measured the figure, from medians
 */
record Verdict(String target, double limit, Bound bound, double measured) {
    /** Which side of the limit is good. */
    enum Bound {
        AT_LEAST,
        AT_MOST
    }

    boolean reached() {
        return bound == Bound.AT_LEAST ? measured >= limit : measured <= limit;
    }

    String describe() {
        return String.format(
                "%s: %.3g, %s %.3g asked: %s",
                target,
                measured,
                bound == Bound.AT_LEAST ? "at least" : "at most",
                limit,
                reached() ? "reached" : "missed");
    }
}
