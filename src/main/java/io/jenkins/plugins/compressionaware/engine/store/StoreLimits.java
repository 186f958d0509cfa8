package io.jenkins.plugins.compressionaware.engine.store;

import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * How long requests to the store may take, and how often they are repeated.
 *
 * @param millis   time limit for each step of a request
 * @param attempts maximum number of requests for the same bytes
 * @param pause    pause before the second request, milliseconds; doubled for each further one
 * @param clock    nanoseconds
 */
@Restricted(NoExternalUse.class)
public record StoreLimits(int millis, int attempts, long pause, LongSupplier clock) {
    /** The pauses take about a minute together. */
    public static final StoreLimits DEFAULT = new StoreLimits(60_000, 11, 250, System::nanoTime);

    /** Longest pause, milliseconds. */
    private static final long MAX_PAUSE = 20_000;

    /** Connections that have never worked, and new signatures, are not tried as often, because they probably fail again. */
    private static final int FIRST_ATTEMPTS = 4;

    /** Returns how long to wait after so many requests, nanoseconds; differs at random, so that many senders do not repeat at the same time. */
    long pauseNanos(int made) {
        double most = Math.min(MAX_PAUSE, pause * Math.pow(2, made - 1.0));
        return (long) (1e6 * most * ThreadLocalRandom.current().nextDouble(0.5, 1));
    }

    /**
     * Returns whether a failed request is to be repeated.
     *
     * @param made     number of requests so far
     * @param answered whether the store has answered any request
     */
    boolean repeats(StoreException failure, int made, boolean answered) {
        StoreFailure cause = failure.failure();
        boolean seldom = cause == StoreFailure.EXPIRED || cause == StoreFailure.UNREACHABLE && !answered;
        return cause.isTransient && made < (seldom ? Math.min(FIRST_ATTEMPTS, attempts) : attempts);
    }
}
