package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.adapt.JdkChoice;

/** Whether lanes wait for blocks or blocks for lanes, lately. Any thread may call. */
final class LaneBalance {
    /** Weight of the past at each new write: the last ten or so count. */
    private static final double KEEP = 0.9;

    private double busy;
    private double starved;
    private boolean answered;

    synchronized void add(long busyNanos, long starvedNanos) {
        busy = busy * KEEP + busyNanos;
        starved = starved * KEEP + starvedNanos;
    }

    /** The receiver has taken something. */
    synchronized void answered() {
        answered = true;
    }

    /** Unknown until the receiver answers: before that, an empty window makes every link look fast. */
    synchronized JdkChoice.LaneState state() {
        if (!answered) {
            return JdkChoice.LaneState.UNKNOWN;
        }
        return starved > busy ? JdkChoice.LaneState.STARVED : JdkChoice.LaneState.BUSY;
    }
}
