package io.jenkins.plugins.compressionaware.engine.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The clock for the time limits of direct lanes: nanoseconds for which this process has run. A garbage collection, or a suspended process or machine, delays a
 * tick, and counts as one second at most. Thread-safe.
 */
final class LaneClock implements LongSupplier {
    private static final long LONGEST_TICK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier clock;

    @GuardedBy("this")
    private long lastTick;

    @GuardedBy("this")
    private long delivered;

    private volatile long nanos;
    private volatile long lastDelivery;

    /** @param clock nanoseconds, such as {@link System#nanoTime} */
    LaneClock(LongSupplier clock) {
        this.clock = clock;
        lastTick = clock.getAsLong();
    }

    /**
     * Advances the clock. Called several times per second.
     *
     * @param deliveredBytes bytes that all lanes have delivered so far
     */
    synchronized void tick(long deliveredBytes) {
        long now = clock.getAsLong();
        nanos += Math.min(now - lastTick, LONGEST_TICK_NANOS);
        lastTick = now;
        if (deliveredBytes > delivered) {
            delivered = deliveredBytes;
            lastDelivery = nanos;
        }
    }

    @Override
    public long getAsLong() {
        return nanos;
    }

    /** Returns the nanoseconds since a lane has delivered bytes, or since the start. */
    long silentNanos() {
        return nanos - lastDelivery;
    }
}
