package io.jenkins.plugins.compressionaware.delta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testkit.History;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToDoubleFunction;
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
        return new Facts(1, GB, 0.95, link, share, 0).pays(Double.NaN, GB / 1600);
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
        assertFalse(pays(AT_100_MBIT, 0.1));
        assertFalse(pays(10 * AT_100_MBIT, 0.1));
    }

    @Test
    void smallFilesNotWhereTheirNumberIsWhatTakesTime() {
        assertTrue(new Facts(100, GB / 10, 0.25, AT_100_MBIT / 2, 0.9, 0).pays(Double.NaN, 0));
        Facts many = new Facts(100_000, GB / 10, 0.25, AT_100_MBIT / 2, 0.9, 0);
        assertFalse(many.pays(Double.NaN, 0));
        assertTrue(many.pays(10 * AT_100_MBIT, 0));
    }

    /** @return numbers of the builds of 40 that are asked */
    private static List<Integer> asked(IntToDoubleFunction shares) {
        List<Integer> asked = new ArrayList<>();
        Facts last = null;
        boolean full = false;
        int number = 0;
        for (int build = 1; build <= 40; build++) {
            boolean asks = full && last.pays(Double.NaN, 0);
            double share = asks ? shares.applyAsDouble(build) : last == null ? -1 : last.share();
            int before = last == null ? 0 : last.misses();
            int misses = !asks ? before : share < Facts.LEAST_SHARE ? before + 1 : 0;
            if (asks) {
                asked.add(build);
            }
            Facts facts = new Facts(1, GB, 1, AT_100_MBIT, share, misses);
            Facts.Next next = facts.next(asks, number == 0 ? 0 : build - number);
            if (next != Facts.Next.NOTHING) {
                full = next == Facts.Next.INDEX;
                last = asks || number == 0 ? facts : facts.anew();
                number = build;
            }
        }
        return asked;
    }

    @Test
    void aJobThatGainsNothingIsAskedEveryTenthTime() {
        assertEquals(List.of(2, 3, 4, 14, 24, 34), asked(build -> 0.01));
        assertEquals(List.of(2, 12, 22, 32), asked(build -> 0.1));
    }

    @Test
    void aJobThatGainsIsAskedEachTime() {
        assertEquals(39, asked(build -> 0.9).size());
        assertEquals(39, asked(build -> build % 2 == 0 ? 0.01 : 0.9).size());
        // from the one on that it is tried again with
        assertEquals(
                List.of(2, 3, 4, 14, 15, 16),
                asked(build -> build < 10 ? 0 : 0.9).subList(0, 6));
    }

    @Test
    void notForWhatIsOverAtOnce() {
        assertFalse(new Facts(1, 1_000_000, 1, AT_100_MBIT, 0.9, 0).pays(Double.NaN, 1000));
        assertTrue(new Facts(1, 1_000_000, 1, 10 * AT_100_MBIT, 0.9, 0).pays(Double.NaN, 1000));
    }

    @Test
    void theAgentOfThisBuildCountsMore() {
        Facts facts = new Facts(1, GB, 1, AT_100_MBIT, 0.9, 0);
        assertFalse(facts.pays(1, 0));
        assertTrue(new Facts(1, GB, 1, 1, 0.9, 0).pays(AT_100_MBIT, 0));
        assertTrue(facts.pays(Double.NaN, 0));
    }

    @Test
    void aFileThatIsSentSoonerThanFoundIsSent(@TempDir Path tmp) throws IOException {
        Path file = Files.write(tmp.resolve("page.html"), History.noise(1, 700));
        Index index = Index.of(tmp, Travel.FACTS);
        assertNull(Shortener.of(index.offer(30), Runnable::run).recipe(file, 700));
        assertNotNull(Shortener.of(index.offer(300), Runnable::run).recipe(file, 700));
    }

    @Test
    void aFileOfWhichNothingIsKnownIsLookedAtForAQuarter(@TempDir Path tmp) throws IOException {
        Path file = tmp.resolve("file");
        byte[] bytes = History.noise(1, 8 << 20);
        Files.write(file, bytes);
        Index index = Index.of(tmp, Travel.FACTS);
        System.arraycopy(History.noise(2, 3 << 20), 0, bytes, 0, 3 << 20);
        Files.write(file, bytes);
        assertNull(Shortener.of(index.offer(Travel.SLOW), Runnable::run).recipe(file, bytes.length));
        Files.write(file, History.noise(1, 1 << 20));
        assertNotNull(Shortener.of(index.offer(Travel.SLOW), Runnable::run).recipe(file, 1 << 20));
    }

    @Test
    void anAgentThatHashesMoreSlowlyThanItSendsDoesNot(@TempDir Path tmp) throws IOException {
        new History(tmp, 1).distribution();
        Index index = Index.of(tmp, Travel.FACTS);
        assertNull(Shortener.of(index.offer(0.1), Runnable::run));
        assertNotNull(Shortener.of(index.offer(Travel.SLOW), Runnable::run));
        assertTrue(Files.exists(tmp.resolve("lib")));
    }
}
