package io.jenkins.plugins.compressionaware.shipping;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.adapt.Selector;
import java.util.concurrent.TimeUnit;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * How long an empty call to an agent takes, and what follows from it.
 *
 * @param nanos   shortest time so far, nanoseconds
 * @param settled whether the last call took about as long as one before
 */
@Restricted(NoExternalUse.class)
public record RoundTrip(long nanos, boolean settled) {
    /** Bytes that remoting lets one stream send before they are acknowledged. */
    private static final double STREAM_WINDOW = Selector.STREAM_WINDOW;

    /** Bytes per second that a channel carries at most: 155 to 250 MiB/s measured on loopback. */
    private static final double CHANNEL_CEILING = 200 << 20;

    private static final int MAX_LANES = 8;

    /** From here on (nanoseconds) an agent is far away: far above what is measured nearby, up to 15 ms while an agent loads its first classes. */
    private static final long FAR = TimeUnit.MILLISECONDS.toNanos(30);

    /** Up to here (nanoseconds) it limits nothing: a stream's window would allow more than the channel carries. A warm agent's call takes 2 ms. */
    private static final long NEAR = TimeUnit.MILLISECONDS.toNanos(3);

    /** A call that takes at least this share of the shortest so far shows that they fall no more. */
    private static final double SETTLED = 0.9;

    /**
     * With one more call.
     *
     * @param known null before the first
     */
    static RoundTrip measured(@CheckForNull RoundTrip known, long nanos) {
        return known == null
                ? new RoundTrip(nanos, false)
                : new RoundTrip(Math.min(nanos, known.nanos), nanos >= SETTLED * known.nanos);
    }

    /** Whether to ask again: a young agent's calls take ten times as long as those to come. */
    boolean mayBeShorter() {
        return !isShort() && !settled;
    }

    /** Whether it takes 3 ms at most, and limits nothing. */
    public boolean isShort() {
        return nanos <= NEAR;
    }

    /** Whether it takes more than 30 ms. */
    public boolean isFar() {
        return nanos > FAR;
    }

    /** How many streams it takes to fill the channel, 1 to 8: each carries its window once per round trip. */
    public int lanes() {
        double needed = CHANNEL_CEILING * nanos / 1e9 / STREAM_WINDOW;
        return (int) Math.max(1, Math.min(MAX_LANES, Math.ceil(needed)));
    }
}
