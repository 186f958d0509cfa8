package io.jenkins.plugins.compressionaware.engine.tar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdaptiveConcurrencyTest {
    private final AdaptiveConcurrency concurrency = new AdaptiveConcurrency();
    private long clock = System.nanoTime();

    /** Records files whose duration in milliseconds depends on how many are processed in parallel. */
    private int after(int files, IntToDoubleFunction millis) {
        for (int i = 0; i < files; i++) {
            double took = 1e6 * millis.applyAsDouble(concurrency.current());
            done(took, took / concurrency.current());
        }
        return concurrency.current();
    }

    private void done(double took, double later) {
        clock += (long) later;
        concurrency.record((long) took, clock);
    }

    @Test
    void usesMaximumConcurrencyIfServerScales() {
        assertEquals(AdaptiveConcurrency.MAX_FILES, after(1_000, writers -> 5));
        assertEquals(AdaptiveConcurrency.MAX_FILES, concurrency.peak());
    }

    @Test
    void concurrencyFollowsServerCapacity() {
        // a server that processes eight files in parallel
        after(5_000, writers -> 5 * Math.max(1, writers / 8.0));
        assertEquals(8, concurrency.current(), 8);
        assertTrue(concurrency.current() >= 8);
    }

    /** Two files are tried from time to time, which costs nothing on a spindle. */
    @Test
    void singleSpindleGetsOneFileAtATime() {
        int alone = 0;
        for (int i = 0; i < 10_000; i++) {
            alone += concurrency.current() == 1 ? 1 : 0;
            done(8e6 * concurrency.current(), 8e6);
            assertTrue(concurrency.current() <= 2);
        }
        assertTrue(alone > 9_500, alone + " of 10,000 files alone");
        assertEquals(1, concurrency.peak());
    }

    /** For example if all files are in one folder, or if the link is the bottleneck. */
    @Test
    void concurrencyStaysLowIfFilesCompleteOneByOne() {
        for (int i = 0; i < 10_000; i++) {
            done(2e6, 2e6);
            assertTrue(concurrency.current() <= 2);
        }
        assertEquals(1, concurrency.peak());
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.01, 0.1, 0.45})
    void localDiskGetsOneFileAtATime(double millis) {
        for (int i = 0; i < 1_000; i++) {
            assertEquals(1, after(10, writers -> millis));
        }
        assertEquals(0, concurrency.peak());
    }

    @Test
    void ignoresFirstWindowWhileClassesLoad() {
        after(16, writers -> 3);
        assertEquals(1, after(10_000, writers -> 0.05));
        assertEquals(0, concurrency.peak());
    }

    @Test
    void concurrencyDropsToOneWhenDiskBecomesFast() {
        after(1_000, writers -> 5);
        assertEquals(1, after(3_000, writers -> 0.02));
    }

    @Test
    void concurrencyDropsWhenServerBecomesBusy() {
        assertEquals(AdaptiveConcurrency.MAX_FILES, after(1_000, writers -> 5));
        assertTrue(after(3_000, writers -> 10 * writers) <= 2);
    }
}
