package io.jenkins.plugins.compressionaware.delta;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testkit.History;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When it is worth looking for what is the same. */
class FactsTest {
    private static final long GB = 1_000_000_000;

    /** Nanoseconds per byte. */
    private static final double AT_100_MBIT = 80;

    private static final double OVER_THE_CHANNEL = 5.2;
    private static final double DIRECT = 1.9;

    private static boolean pays(double link, double share) {
        return new Facts(GB, 0.95, link, share, 0).pays(Double.NaN, GB / 1600);
    }

    @Test
    void whereALinkIsSlow() {
        assertTrue(pays(AT_100_MBIT, -1));
        assertTrue(pays(AT_100_MBIT, 0.3));
        assertTrue(pays(OVER_THE_CHANNEL, 0.9));
        assertFalse(pays(OVER_THE_CHANNEL, 0.4));
        assertFalse(pays(DIRECT, 1));
        assertFalse(pays(0, 1));
    }

    @Test
    void notWhereNothingRepeats() {
        assertFalse(pays(AT_100_MBIT, 0));
        assertFalse(pays(10 * AT_100_MBIT, 0.1));
    }

    @Test
    void notForWhatIsOverAtOnce() {
        assertFalse(new Facts(1_000_000, 1, AT_100_MBIT, 0.9, 0).pays(Double.NaN, 1000));
        assertTrue(new Facts(1_000_000, 1, 10 * AT_100_MBIT, 0.9, 0).pays(Double.NaN, 1000));
    }

    @Test
    void theAgentOfThisBuildCountsMore() {
        Facts facts = new Facts(GB, 1, AT_100_MBIT, 0.9, 0);
        assertFalse(facts.pays(1, 0));
        assertTrue(new Facts(GB, 1, 1, 0.9, 0).pays(AT_100_MBIT, 0));
        assertTrue(facts.pays(Double.NaN, 0));
    }

    @Test
    void anAgentThatHashesMoreSlowlyThanItSendsDoesNot(@TempDir Path tmp) throws IOException {
        new History(tmp, 1).distribution();
        Index index = Index.of(tmp, Travel.FACTS);
        assertNull(Shortener.of(index.offer(0.1)));
        assertNotNull(Shortener.of(index.offer(Travel.SLOW)));
        assertTrue(Files.exists(tmp.resolve("lib")));
    }
}
