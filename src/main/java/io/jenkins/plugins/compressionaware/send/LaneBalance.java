package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.adapt.JdkChoice;
import io.jenkins.plugins.compressionaware.adapt.LaneWrite;

/** Whether lanes wait for blocks or blocks for lanes, lately. Any thread may call. */
final class LaneBalance {
    /** Weight of the past at each new write: the last ten or so count. */
    private static final double KEEP = 0.9;

    private double bytes;
    private double busy;
    private double starved;
    private boolean answered;

    synchronized void add(LaneWrite write) {
        bytes = bytes * KEEP + write.wireLength();
        busy = busy * KEEP + write.writeNanos() + write.heldNanos();
        starved = starved * KEEP + write.starvedNanos();
    }

    /** Nanoseconds per byte on one lane; negative as long as nothing is known. */
    synchronized double nanosPerByte() {
        return answered && bytes > 0 ? busy / bytes : -1;
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
