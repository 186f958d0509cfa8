package io.jenkins.plugins.compressionaware.provisioning;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.flow.RemotingLimits;
import java.util.concurrent.TimeUnit;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The time of an empty call to an agent, and what follows from it.
 *
 * @param nanos  shortest time so far, nanoseconds
 * @param steady calls in a row, up to the last, that took about as long as the shortest before, or longer
 */
@Restricted(NoExternalUse.class)
public record RoundTripEstimate(long nanos, int stableSamples) {
    /** Bytes that remoting lets one stream send before they are acknowledged. */
    private static final double STREAM_WINDOW = RemotingLimits.STREAM_WINDOW;

    /** Most bytes per second that a channel carries: 155 to 250 MiB/s measured on loopback. */
    private static final double CHANNEL_CEILING = 200 << 20;

    private static final int MAX_LANES = 8;

    /** Nanoseconds above which an agent is far away: far more than a nearby agent takes, up to 15 ms while it loads its first classes. */
    private static final long FAR_NANOS = TimeUnit.MILLISECONDS.toNanos(30);

    /** Nanoseconds up to which it limits nothing: a stream's window would allow more than the channel carries. A warm agent's call takes 2 ms. */
    private static final long NEAR_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

    /** A call that takes at least this share of the shortest so far shows that the times no longer fall. */
    private static final double STABLE_RATIO = 0.9;

    /**
     * Such calls that show that an agent is far away, and not a young one nearby. Seven agents at 20 ms all seemed to be 21 to 30 ms away or more, and
     * two of them fetched 1 GiB in 11 s instead of 5, since they had no direct lanes as long as they were connected.
     */
    private static final int FAR_SAMPLES = 6;

    /**
     * Round trips before a transfer runs at the speed of its link: one for the first orders, one to find the direct lane, and six in which TCP doubles
     * its first 14 KiB (RFC 6928) to 1 MiB.
     */
    private static final int SLOW_START_ROUND_TRIPS = 8;

    /**
     * The round trip after one more call.
     *
     * @param known null before the first
     */
    static RoundTripEstimate measured(@CheckForNull RoundTripEstimate known, long nanos) {
        return known == null
                ? new RoundTripEstimate(nanos, 0)
                : new RoundTripEstimate(
                        Math.min(nanos, known.nanos),
                        nanos >= STABLE_RATIO * known.nanos ? known.stableSamples + 1 : 0);
    }

    /** Whether to ask again: a young agent's calls take ten times as long as later ones. */
    boolean needsRemeasuring() {
        return !isShort() && stableSamples < (isFar() && nanos <= 2 * FAR_NANOS ? FAR_SAMPLES : 1);
    }

    /** Whether it takes at most 3 ms, and limits nothing. */
    public boolean isShort() {
        return nanos <= NEAR_NANOS;
    }

    /** Whether it takes more than 30 ms. */
    public boolean isFar() {
        return nanos > FAR_NANOS;
    }

    /** How many streams fill the channel, 1 to 8: each carries its window once per round trip. */
    public int lanes() {
        double needed = CHANNEL_CEILING * nanos / 1e9 / STREAM_WINDOW;
        return (int) Math.max(1, Math.min(MAX_LANES, Math.ceil(needed)));
    }

    /**
     * The time of a byte on the link, without the round trips at the start: with 20 ms and 2 MB, a fast link would otherwise look like one of 25 MB/s.
     *
     * @param waitingNanos the receiver's, from the beginning of the transfer
     * @return nanoseconds, 0 or more
     */
    public double nanosPerByte(long waitingNanos, long wireBytes) {
        return Math.max(0, waitingNanos - SLOW_START_ROUND_TRIPS * nanos) / (double) wireBytes;
    }
}
