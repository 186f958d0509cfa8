package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.delta.ArchiveStats;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.report.TransferResults;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

/** When it is worth looking for what is the same. */
class DeltaEstimatorTest {
    private static final long GB = 1_000_000_000;

    /** Nanoseconds per byte. */
    private static final double AT_100_MBIT = 80;

    private static final double OVER_THE_CHANNEL = 5.2;
    private static final double DIRECT = 1.9;

    private static boolean pays(double link, double share) {
        return DeltaEstimator.isWorthwhile(new ArchiveStats(1, GB, 0.95, link, share, 0), Double.NaN, GB / 1600);
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
        assertTrue(DeltaEstimator.isWorthwhile(
                new ArchiveStats(100, GB / 10, 0.25, AT_100_MBIT / 2, 0.9, 0), Double.NaN, 0));
        ArchiveStats many = new ArchiveStats(100_000, GB / 10, 0.25, AT_100_MBIT / 2, 0.9, 0);
        assertFalse(DeltaEstimator.isWorthwhile(many, Double.NaN, 0));
        assertTrue(DeltaEstimator.isWorthwhile(many, 10 * AT_100_MBIT, 0));
    }

    /** @return numbers of the builds of 40 that are asked */
    private static List<Integer> asked(IntToDoubleFunction shares) {
        List<Integer> asked = new ArrayList<>();
        ArchiveStats last = null;
        boolean full = false;
        int number = 0;
        for (int build = 1; build <= 40; build++) {
            boolean asks = full && DeltaEstimator.isWorthwhile(last, Double.NaN, 0);
            double share = asks ? shares.applyAsDouble(build) : last == null ? -1 : last.share();
            int before = last == null ? 0 : last.fruitlessBuilds();
            int misses = !asks ? before : share < ArchiveStats.MIN_USEFUL_SHARE ? before + 1 : 0;
            if (asks) {
                asked.add(build);
            }
            ArchiveStats facts = new ArchiveStats(1, GB, 1, AT_100_MBIT, share, misses);
            DeltaEstimator.IndexDecision next =
                    DeltaEstimator.decideIndex(facts, Double.NaN, asks, number == 0 ? 0 : build - number);
            if (next != DeltaEstimator.IndexDecision.NOTHING) {
                full = next == DeltaEstimator.IndexDecision.INDEX;
                last = asks || number == 0 ? facts : facts.withUnknownShare();
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

    /** What little a fresh agent has sent may have taken long, which says nothing of its link. */
    @Test
    void noIndexThatAgentsOfTheKindWouldNotBeTold() {
        ArchiveStats little = new ArchiveStats(1, 3_000_000, 0.5, 3 * AT_100_MBIT, -1, 0);
        assertEquals(DeltaEstimator.IndexDecision.INDEX, DeltaEstimator.decideIndex(little, Double.NaN, false, 0));
        assertFalse(DeltaEstimator.isWorthwhile(little, AT_100_MBIT, 0));
        assertEquals(DeltaEstimator.IndexDecision.NOTHING, DeltaEstimator.decideIndex(little, AT_100_MBIT, false, 0));
    }

    /** Therefore, another job's fast agent must not be asked about for a build whose agents were told. */
    @Test
    void aFastLinkEndsWhatABuildWasTold() {
        ArchiveStats worked = new ArchiveStats(1, GB, 1, AT_100_MBIT, 0.95, 0);
        assertEquals(DeltaEstimator.IndexDecision.INDEX, DeltaEstimator.decideIndex(worked, Double.NaN, true, 1));
        assertEquals(DeltaEstimator.IndexDecision.RETRY_AFTER_BUILDS, DeltaEstimator.decideIndex(worked, 1, true, 1));
    }

    @Test
    void notForWhatIsOverAtOnce() {
        assertFalse(
                DeltaEstimator.isWorthwhile(new ArchiveStats(1, 1_000_000, 1, AT_100_MBIT, 0.9, 0), Double.NaN, 1000));
        assertTrue(DeltaEstimator.isWorthwhile(
                new ArchiveStats(1, 1_000_000, 1, 10 * AT_100_MBIT, 0.9, 0), Double.NaN, 1000));
    }

    /** A channel takes a megabyte of each lane before a write waits: then nothing but the clock tells that a link is slow. */
    @Test
    void whatNoStageExplainsWasSpentOnTheWay() {
        long millis = 1_000_000;
        TransferInfo transfer = new TransferInfo(TransferInfo.Operation.ARCHIVE, "job", 1, "agent", null, 1, null);
        SendReport sent =
                new SendReport(new ArrayList<>(), false, new ArrayList<>(), 1, 0, 0, 2, 100 * millis, 0, null, 0);
        ReceiveReport received =
                new ReceiveReport(1, 3_600_000, 3_600_000, 2_000_000, 20 * millis, 0, 300 * millis, 0, List.of(), 0);
        assertEquals(
                1000,
                ChunkIndexer.nanosPerWire(TransferResults.completed(transfer, 2900, 2_000_000, 0, 4, sent, received)));
        assertEquals(
                10,
                ChunkIndexer.nanosPerWire(TransferResults.completed(transfer, 600, 2_000_000, 0, 4, sent, received)));
    }

    @Test
    void theAgentOfThisBuildCountsMore() {
        ArchiveStats facts = new ArchiveStats(1, GB, 1, AT_100_MBIT, 0.9, 0);
        assertFalse(DeltaEstimator.isWorthwhile(facts, 1, 0));
        assertTrue(DeltaEstimator.isWorthwhile(new ArchiveStats(1, GB, 1, 1, 0.9, 0), AT_100_MBIT, 0));
        assertTrue(DeltaEstimator.isWorthwhile(facts, Double.NaN, 0));
    }

    /** As with a home on a slow disk, or a file that the agent's cache cannot hold, however promising the estimate is. */
    @Test
    void aJobThatTakesLongerWithTheListRests() {
        ArchiveStats worse = new ArchiveStats(1, GB, 1, AT_100_MBIT, 0.95, 0, 85, 90);
        assertFalse(DeltaEstimator.isWorthwhile(worse, Double.NaN, 0));
        assertEquals(
                DeltaEstimator.IndexDecision.RETRY_AFTER_BUILDS,
                DeltaEstimator.decideIndex(worse, Double.NaN, true, 1));
        assertTrue(
                DeltaEstimator.isWorthwhile(worse.withUnknownShare(), Double.NaN, 0),
                "it is tried again after a while");
    }

    @Test
    void aJobThatTakesLessTimeThanEstimatedGoesOn() {
        assertFalse(pays(DIRECT, 1));
        assertTrue(DeltaEstimator.isWorthwhile(new ArchiveStats(1, GB, 0.95, DIRECT, 1, 0, 3, 2), Double.NaN, 0));
    }

    @Test
    void whatWasMeasuredOverASlowLinkIsNotExpectedOfAFastOne() {
        ArchiveStats slow = new ArchiveStats(1, GB, 1, AT_100_MBIT, 0.9, 0, 85, 20);
        assertTrue(DeltaEstimator.isWorthwhile(slow, AT_100_MBIT, 0));
        assertFalse(DeltaEstimator.isWorthwhile(slow, OVER_THE_CHANNEL, 0));
    }

    @Test
    void aSmallArchiveDoesNotPayForALongList() {
        assertTrue(DeltaEstimator.isWorthwhile(
                new ArchiveStats(1, GB, 1, AT_100_MBIT, 0.9, 0, 85, 20), Double.NaN, 600_000));
        assertFalse(DeltaEstimator.isWorthwhile(
                new ArchiveStats(1, 5_000, 1, AT_100_MBIT, 0.9, 0, 85, 20), Double.NaN, 600_000));
        assertFalse(DeltaEstimator.isWorthwhile(new ArchiveStats(0, 0, 1, AT_100_MBIT, 0.9, 0, 85, 20), Double.NaN, 0));
    }

    private static TransferResult archive(long raw, long millis, long earlierBytes) {
        TransferInfo transfer = new TransferInfo(TransferInfo.Operation.ARCHIVE, "job", 1, "agent", null, 1, null);
        SendReport sent = new SendReport(new ArrayList<>(), false, new ArrayList<>(), 1, 0, 0, 2, 0, 0, null, 0);
        ReceiveReport received =
                new ReceiveReport(1, raw, raw, Math.max(1, raw - earlierBytes), 0, 0, 0, 0, List.of(), 0);
        return TransferResults.shortened(
                transfer, millis, Math.max(1, raw - earlierBytes), earlierBytes, sent, received);
    }

    @Test
    void theTimesOfBuildsAreRemembered() {
        ArchiveStats first = ChunkIndexer.facts(List.of(archive(1_000_000_000, 80_500, 0)), null);
        assertEquals(80, first.full());
        assertTrue(first.shortened() < 0);
        ArchiveStats second = ChunkIndexer.facts(List.of(archive(1_000_000_000, 100_500, 900_000_000)), first);
        assertEquals(80, second.full());
        assertEquals(100, second.shortened());
        assertEquals(0.9, second.share(), 0.001);
        ArchiveStats third = ChunkIndexer.facts(List.of(archive(1_000_000_000, 20_500, 900_000_000)), second);
        assertEquals(60, third.shortened(), "a build may have been slow by chance");
        assertTrue(third.withUnknownShare().shortened() < 0);
    }

    /** @return how many of the last 50 of 150 builds are asked; milliseconds of the first build, and of others in full and with the list */
    private static int askedInTheEnd(long first, long full, long shortened) {
        ArchiveStats last = null;
        int number = 0;
        boolean index = false;
        int asked = 0;
        for (int build = 1; build <= 150; build++) {
            boolean asks = index && !DeltaEstimator.isInFull(build) && DeltaEstimator.isWorthwhile(last, Double.NaN, 0);
            TransferResult result = asks
                    ? archive(GB, 500 + shortened, GB / 10 * 9)
                    : archive(GB, 500 + (build == 1 ? first : full), 0);
            ArchiveStats facts = ChunkIndexer.facts(List.of(result), last);
            boolean counts = asks || number > 0 && DeltaEstimator.isInFull(build);
            DeltaEstimator.IndexDecision next =
                    DeltaEstimator.decideIndex(facts, Double.NaN, counts, number == 0 ? 0 : build - number);
            if (next != DeltaEstimator.IndexDecision.NOTHING) {
                index = next == DeltaEstimator.IndexDecision.INDEX;
                last = counts || number == 0 ? facts : facts.withUnknownShare();
                number = build;
            }
            asked += asks && build > 100 ? 1 : 0;
        }
        return asked;
    }

    /** Without a measurement from time to time, one slow build would decide for ever. */
    @Test
    void aSlowFirstBuildIsForgotten() {
        assertTrue(askedInTheEnd(20_000, 8_000, 12_000) <= 5);
        assertEquals(48, askedInTheEnd(20_000, 20_000, 12_000));
        assertTrue(askedInTheEnd(80_000, 80_000, 90_000) <= 5);
    }

    /** Their mean was too small to gain anything. */
    @Test
    void manySmallArchivesDoNotHideTheLargeOne() {
        TransferResult[] archives = new TransferResult[50];
        Arrays.fill(archives, archive(5_000, 510, 0));
        archives[30] = archive(120_000_000, 10_100, 0);
        ArchiveStats facts = ChunkIndexer.facts(List.of(archives), null);
        assertEquals(120_000_000, facts.rawBytes());
        assertEquals(80, facts.nanosPerWire());
        assertTrue(DeltaEstimator.isWorthwhile(facts, Double.NaN, 670_000));
    }
}
