package io.jenkins.plugins.compressionaware.provisioning;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import java.util.concurrent.TimeUnit;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The round trip of an empty call to an agent. Decides how many streams to use, and whether the agent is far away.
 *
 * @param nanos shortest time so far, nanoseconds
 * @param stableSamples number of calls since one was more than a tenth faster than all earlier calls
 */
@Restricted(NoExternalUse.class)
public record RoundTripEstimate(long nanos, int stableSamples) {
    /** Maximum bytes per second of a channel, about as measured on loopback. */
    private static final double CHANNEL_CEILING = 200 << 20;

    private static final int MAX_STREAMS = 8;

    /** Nanoseconds above which an agent is far away. A near agent takes up to 15 ms while it loads its first classes. */
    private static final long FAR_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

    /** Nanoseconds up to which the round trip does not limit a transfer, because a stream's window allows more than the channel can carry. */
    private static final long NEAR_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

    /** If a call takes at least this share of the shortest time, the times no longer decrease. */
    private static final double STABLE_RATIO = 0.9;

    /** Stable calls needed to decide that an agent is far away and not just starting, because a far agent gets no direct lanes while it is connected. */
    private static final int FAR_SAMPLES = 6;

    /**
     * Round trips before a transfer reaches the speed of its link: one for the first range requests, one to probe the direct lane, and six for TCP slow start
     * (RFC 6928) to reach 1 MiB.
     */
    private static final int SLOW_START_ROUND_TRIPS = 8;

    /**
     * Returns the estimate after one more call.
     *
     * @param known estimate so far; null before the first call
     * @param nanos time of the call, nanoseconds
     */
    static RoundTripEstimate measured(@CheckForNull RoundTripEstimate known, long nanos) {
        return known == null
                ? new RoundTripEstimate(nanos, 0)
                : new RoundTripEstimate(
                        Math.min(nanos, known.nanos),
                        nanos >= STABLE_RATIO * known.nanos ? known.stableSamples + 1 : 0);
    }

    /** Returns whether to measure once more, because the first calls to a new agent take ten times as long as later calls. */
    boolean needsRemeasuring() {
        return !isShort() && stableSamples < (isFar() && nanos <= 2 * FAR_NANOS ? FAR_SAMPLES : 1);
    }

    /** Returns whether the round trip is at most 3 ms, so that it does not limit a transfer. */
    public boolean isShort() {
        return nanos <= NEAR_NANOS;
    }

    /** Returns whether the round trip is more than 30 ms. */
    public boolean isFar() {
        return nanos > FAR_NANOS;
    }

    /** Returns the number of streams that fill the channel, 1 to 8: each carries one window per round trip. */
    public int streams() {
        double needed = CHANNEL_CEILING * nanos / 1e9 / Credit.STREAM_WINDOW;
        return (int) Math.max(1, Math.min(MAX_STREAMS, Math.ceil(needed)));
    }

    /**
     * Returns the time of a byte on the link. Subtracts the round trips at the start, because otherwise a short transfer over a fast link with a long round
     * trip would look slow.
     *
     * @param waitingNanos nanoseconds that the receiver waited since the transfer began
     * @param wireBytes wire bytes of the transfer
     * @return nanoseconds, 0 or more
     */
    public double nanosPerByte(long waitingNanos, long wireBytes) {
        return Math.max(0, waitingNanos - SLOW_START_ROUND_TRIPS * nanos) / (double) wireBytes;
    }
}
