package io.jenkins.plugins.compressionaware.engine.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LaneClockTest {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1000 * MILLI;

    @Test
    void pauseOfProcessCountsAsOneSecond() {
        AtomicLong nanos = new AtomicLong(-5);
        LaneClock clock = new LaneClock(nanos::get);
        nanos.addAndGet(100 * MILLI);
        clock.tick(0);
        assertEquals(100 * MILLI, clock.getAsLong());
        nanos.addAndGet(240 * SECOND);
        assertEquals(100 * MILLI, clock.getAsLong(), "a thread that wakes up before the tick");
        clock.tick(0);
        assertEquals(1100 * MILLI, clock.getAsLong());
    }

    @Test
    void silenceEndsWithDelivery() {
        AtomicLong nanos = new AtomicLong();
        LaneClock clock = new LaneClock(nanos::get);
        nanos.addAndGet(SECOND);
        clock.tick(0);
        assertEquals(SECOND, clock.silentNanos());
        nanos.addAndGet(SECOND);
        clock.tick(7);
        assertEquals(0, clock.silentNanos());
        nanos.addAndGet(SECOND);
        clock.tick(7);
        assertEquals(SECOND, clock.silentNanos());
    }
}
