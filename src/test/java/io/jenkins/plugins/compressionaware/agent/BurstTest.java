package io.jenkins.plugins.compressionaware.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When pieces arrive says how fast a link is. */
class BurstTest {
    private static final int[] PIECES = {HeadStart.CHUNK, HeadStart.CHUNK, HeadStart.LITTLE - 2 * HeadStart.CHUNK};

    private final AtomicLong now = new AtomicLong(5);

    /** How much has arrived each time that the link was told to be fast. */
    private List<Long> told(Burst burst, double... nanosPerByte) {
        List<Long> told = new ArrayList<>();
        long arrived = 0;
        for (double nanos : nanosPerByte) {
            now.addAndGet(TimeUnit.SECONDS.toNanos(1)); // to make the next ones
            for (int piece : PIECES) {
                now.addAndGet((long) (nanos * piece));
                arrived += piece;
                if (burst.isFirstFast(arrived)) {
                    told.add(arrived);
                }
            }
        }
        return told;
    }

    private Burst burst() {
        return new Burst(now::get, false);
    }

    @Test
    void fastLinkIsSeenAfterTheFirstPieces() {
        assertEquals(List.of((long) HeadStart.LITTLE), told(burst(), 90, 90, 90));
    }

    @Test
    void slowLinkIsNot() {
        assertEquals(List.of(), told(burst(), 110, 800, 110));
    }

    @Test
    void linkThatBeganSlowlyIsSeenLater() {
        assertEquals(List.of(3L * HeadStart.LITTLE), told(burst(), 800, 200, 20, 20));
    }

    @Test
    void whatTheSenderBelievesIsNotTold() {
        assertEquals(List.of(), told(new Burst(now::get, true), 10, 10));
    }

    @Test
    void otherPiecesSayNothing() {
        Burst burst = burst();
        for (long arrived = 1000; arrived < HeadStart.LITTLE; arrived += 1000) {
            assertEquals(false, burst.isFirstFast(arrived));
        }
        assertEquals(false, burst.isFirstFast(HeadStart.LITTLE));
    }
}
