package io.jenkins.plugins.compressionaware.agent;

import java.util.function.LongSupplier;

/**
 * Sees from when bytes arrive whether a link is fast, long before the sender could: that sees only how long its writes take, and remoting takes a MiB before
 * one of them waits. A {@link HeadStart} writes 256 KiB at once, in three pieces. So the time from the first of them to the last is the link's. Where
 * something on the way has kept pieces together it may look fast when it is not; the sender's own writes correct that from 1.25 MiB on.
 */
final class Burst {
    private final LongSupplier clock;
    private boolean told;
    private long first = -1;

    /**
     * @param clock nanoseconds
     * @param told  whether the sender believes that the link is fast
     */
    Burst(LongSupplier clock, boolean told) {
        this.clock = clock;
        this.told = told;
    }

    /**
     * A piece has arrived.
     *
     * @param arrived bytes so far, with it
     * @return true once: when the link has been seen to be fast
     */
    boolean isFirstFast(long arrived) {
        long place = arrived % HeadStart.LITTLE;
        if (told || place != HeadStart.CHUNK && place != 0) {
            return false;
        }
        long now = clock.getAsLong();
        if (place != 0) {
            first = now;
            return false;
        }
        told = first >= 0 && now - first < HeadStart.FAST * (HeadStart.LITTLE - HeadStart.CHUNK);
        return told;
    }
}
