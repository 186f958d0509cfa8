package io.jenkins.plugins.compressionaware.transfer;

/** Whether lanes wait for blocks or blocks for lanes, lately. Any thread may call. */
final class LaneBalance {
    /** Weight of the past at each new write: the last ten or so count. */
    private static final double KEEP = 0.9;

    private double busy;
    private double starved;

    synchronized void add(long busyNanos, long starvedNanos) {
        busy = busy * KEEP + busyNanos;
        starved = starved * KEEP + starvedNanos;
    }

    /** Whether lanes spend more time waiting for blocks than sending them; not before anything was sent. */
    synchronized boolean starved() {
        return starved > busy;
    }
}
