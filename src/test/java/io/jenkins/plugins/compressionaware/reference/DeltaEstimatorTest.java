package io.jenkins.plugins.compressionaware.reference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.delta.ArchiveStats;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.report.TransferResults;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

/** Decides when a delta saves time. */
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
    void deltaPaysOffOnSlowLink() {
        assertTrue(pays(AT_100_MBIT, -1));
        assertTrue(pays(AT_100_MBIT, 0.3));
        assertTrue(pays(OVER_THE_CHANNEL, 0.9));
        assertFalse(pays(OVER_THE_CHANNEL, 0.4));
        assertFalse(pays(DIRECT, 1));
        assertFalse(pays(0, 1));
    }

    @Test
    void deltaDoesNotPayOffWithoutReuse() {
        assertFalse(pays(AT_100_MBIT, 0.1));
        assertFalse(pays(10 * AT_100_MBIT, 0.1));
    }

    @Test
    void deltaDoesNotPayOffForManySmallFiles() {
        assertTrue(DeltaEstimator.isWorthwhile(
                new ArchiveStats(100, GB / 10, 0.25, AT_100_MBIT / 2, 0.9, 0), Double.NaN, 0));
        ArchiveStats many = new ArchiveStats(100_000, GB / 10, 0.25, AT_100_MBIT / 2, 0.9, 0);
        assertFalse(DeltaEstimator.isWorthwhile(many, Double.NaN, 0));
        assertTrue(DeltaEstimator.isWorthwhile(many, 10 * AT_100_MBIT, 0));
    }

    /** Archives in a build, and returns the figures of it. */
    private interface Archive {
        ArchiveStats run(int build, boolean attempted, ArchiveStats last);
    }

    /**
     * Returns the numbers of the builds that attempt a delta.
     *
     * @param builds how many to simulate
     * @param inFull builds that attempt no delta
     */
    private static List<Integer> attempts(int builds, IntPredicate inFull, Archive archive) {
        List<Integer> attempts = new ArrayList<>();
        ArchiveStats last = null;
        boolean index = false;
        int number = 0;
        for (int build = 1; build <= builds; build++) {
            boolean attempted = index && !inFull.test(build) && DeltaEstimator.isWorthwhile(last, Double.NaN, 0);
            if (attempted) {
                attempts.add(build);
            }
            ArchiveStats stats = archive.run(build, attempted, last);
            boolean counts = attempted || number > 0 && inFull.test(build);
            DeltaEstimator.IndexDecision next =
                    DeltaEstimator.decideIndex(stats, Double.NaN, counts, number == 0 ? 0 : build - number);
            if (next != DeltaEstimator.IndexDecision.NOTHING) {
                index = next == DeltaEstimator.IndexDecision.INDEX;
                last = counts || number == 0 ? stats : stats.withUnknownShare();
                number = build;
            }
        }
        return attempts;
    }

    private static List<Integer> attemptingBuilds(IntToDoubleFunction shares) {
        return attempts(40, build -> false, (build, attempted, last) -> {
            double share = attempted ? shares.applyAsDouble(build) : last == null ? -1 : last.share();
            int before = last == null ? 0 : last.fruitlessBuilds();
            int fruitlessBuilds = !attempted ? before : share < ArchiveStats.MIN_USEFUL_SHARE ? before + 1 : 0;
            return new ArchiveStats(1, GB, 1, AT_100_MBIT, share, fruitlessBuilds);
        });
    }

    @Test
    void jobWithoutGainsAttemptsEveryTenthBuild() {
        assertEquals(List.of(2, 3, 4, 14, 24, 34), attemptingBuilds(build -> 0.01));
        assertEquals(List.of(2, 12, 22, 32), attemptingBuilds(build -> 0.1));
    }

    @Test
    void jobWithGainsAttemptsEachBuild() {
        assertEquals(39, attemptingBuilds(build -> 0.9).size());
        assertEquals(39, attemptingBuilds(build -> build % 2 == 0 ? 0.01 : 0.9).size());
        // after a successful retry, each build attempts a delta
        assertEquals(
                List.of(2, 3, 4, 14, 15, 16),
                attemptingBuilds(build -> build < 10 ? 0 : 0.9).subList(0, 6));
    }

    /** A fresh agent that sent few bytes may have been slow for other reasons than its link. */
    @Test
    void profileOverridesSlowFirstTransfer() {
        ArchiveStats few = new ArchiveStats(1, 3_000_000, 0.5, 3 * AT_100_MBIT, -1, 0);
        assertEquals(DeltaEstimator.IndexDecision.INDEX, DeltaEstimator.decideIndex(few, Double.NaN, false, 0));
        assertFalse(DeltaEstimator.isWorthwhile(few, AT_100_MBIT, 0));
        assertEquals(DeltaEstimator.IndexDecision.NOTHING, DeltaEstimator.decideIndex(few, AT_100_MBIT, false, 0));
    }

    /** Therefore a build whose agents were offered a delta ignores the link that another job measured. */
    @Test
    void fastLinkStopsDeltas() {
        ArchiveStats worked = new ArchiveStats(1, GB, 1, AT_100_MBIT, 0.95, 0);
        assertEquals(DeltaEstimator.IndexDecision.INDEX, DeltaEstimator.decideIndex(worked, Double.NaN, true, 1));
        assertEquals(DeltaEstimator.IndexDecision.RETRY_AFTER_BUILDS, DeltaEstimator.decideIndex(worked, 1, true, 1));
    }

    @Test
    void deltaDoesNotPayOffForShortTransfers() {
        assertFalse(
                DeltaEstimator.isWorthwhile(new ArchiveStats(1, 1_000_000, 1, AT_100_MBIT, 0.9, 0), Double.NaN, 1000));
        assertTrue(DeltaEstimator.isWorthwhile(
                new ArchiveStats(1, 1_000_000, 1, 10 * AT_100_MBIT, 0.9, 0), Double.NaN, 1000));
    }

    /** A channel buffers a megabyte per lane before a write blocks, so only the duration shows that the link is slow. */
    @Test
    void unexplainedTimeCountsAsLinkTime() {
        long millis = 1_000_000;
        TransferInfo transfer = TransferResults.transfer(TransferInfo.Operation.ARCHIVE);
        SendReport sent = new SendReport(
                new Figures(1, 0, 0, 0, 100 * millis, 0, 0, 0, 0), new ArrayList<>(), false, null, 2, null);
        ReceiveReport received = new ReceiveReport(
                new Figures(1, 3_600_000, 3_600_000, 2_000_000, 0, 20 * millis, 0, 300 * millis, 0), List.of(), 0);
        assertEquals(
                1000,
                ChunkIndexer.nanosPerWire(TransferResults.completed(transfer, 2900, 2_000_000, 0, 4, sent, received)));
        assertEquals(
                10,
                ChunkIndexer.nanosPerWire(TransferResults.completed(transfer, 600, 2_000_000, 0, 4, sent, received)));
    }

    @Test
    void linkOfCurrentAgentTakesPrecedence() {
        ArchiveStats stats = new ArchiveStats(1, GB, 1, AT_100_MBIT, 0.9, 0);
        assertFalse(DeltaEstimator.isWorthwhile(stats, 1, 0));
        assertTrue(DeltaEstimator.isWorthwhile(new ArchiveStats(1, GB, 1, 1, 0.9, 0), AT_100_MBIT, 0));
        assertTrue(DeltaEstimator.isWorthwhile(stats, Double.NaN, 0));
    }

    /** Measured times override the estimate, for example if Jenkins' home is on a slow disk. */
    @Test
    void jobThatIsSlowerWithDeltaStops() {
        ArchiveStats worse = new ArchiveStats(1, GB, 1, AT_100_MBIT, 0.95, 0, 85, 90);
        assertFalse(DeltaEstimator.isWorthwhile(worse, Double.NaN, 0));
        assertEquals(
                DeltaEstimator.IndexDecision.RETRY_AFTER_BUILDS,
                DeltaEstimator.decideIndex(worse, Double.NaN, true, 1));
        assertTrue(
                DeltaEstimator.isWorthwhile(worse.withUnknownShare(), Double.NaN, 0),
                "a delta is attempted again after a while");
    }

    @Test
    void jobFasterThanEstimatedContinues() {
        assertFalse(pays(DIRECT, 1));
        assertTrue(DeltaEstimator.isWorthwhile(new ArchiveStats(1, GB, 0.95, DIRECT, 1, 0, 3, 2), Double.NaN, 0));
    }

    @Test
    void gainMeasuredOnSlowLinkIsScaledToFastLink() {
        ArchiveStats slow = new ArchiveStats(1, GB, 1, AT_100_MBIT, 0.9, 0, 85, 20);
        assertTrue(DeltaEstimator.isWorthwhile(slow, AT_100_MBIT, 0));
        assertFalse(DeltaEstimator.isWorthwhile(slow, OVER_THE_CHANNEL, 0));
    }

    @Test
    void largeSignatureDoesNotPayOffForSmallArchive() {
        assertTrue(DeltaEstimator.isWorthwhile(
                new ArchiveStats(1, GB, 1, AT_100_MBIT, 0.9, 0, 85, 20), Double.NaN, 600_000));
        assertFalse(DeltaEstimator.isWorthwhile(
                new ArchiveStats(1, 5_000, 1, AT_100_MBIT, 0.9, 0, 85, 20), Double.NaN, 600_000));
        assertFalse(DeltaEstimator.isWorthwhile(new ArchiveStats(0, 0, 1, AT_100_MBIT, 0.9, 0, 85, 20), Double.NaN, 0));
    }

    private static TransferResult archive(long raw, long millis, long reusedBytes) {
        TransferInfo transfer = TransferResults.transfer(TransferInfo.Operation.ARCHIVE);
        SendReport sent =
                new SendReport(new Figures(1, 0, 0, 0, 0, 0, 0, 0, 0), new ArrayList<>(), false, null, 2, null);
        ReceiveReport received = new ReceiveReport(
                new Figures(1, raw, raw, Math.max(1, raw - reusedBytes), 0, 0, 0, 0, 0), List.of(), 0);
        return TransferResults.shortened(transfer, millis, Math.max(1, raw - reusedBytes), reusedBytes, sent, received);
    }

    @Test
    void timesInFullAndWithDeltaAreAveraged() {
        ArchiveStats first = ChunkIndexer.stats(List.of(archive(1_000_000_000, 80_500, 0)), null);
        assertEquals(80, first.fullNanosPerByte());
        assertTrue(first.deltaNanosPerByte() < 0);
        ArchiveStats second = ChunkIndexer.stats(List.of(archive(1_000_000_000, 100_500, 900_000_000)), first);
        assertEquals(80, second.fullNanosPerByte());
        assertEquals(100, second.deltaNanosPerByte());
        assertEquals(0.9, second.share(), 0.001);
        ArchiveStats third = ChunkIndexer.stats(List.of(archive(1_000_000_000, 20_500, 900_000_000)), second);
        assertEquals(60, third.deltaNanosPerByte(), "a build may have been slow by chance");
        assertTrue(third.withUnknownShare().deltaNanosPerByte() < 0);
    }

    /**
     * Returns how many of the last 50 of 150 builds attempt a delta.
     *
     * @param first milliseconds of the first build
     * @param full milliseconds of later builds in full
     * @param shortened milliseconds of builds with a delta
     */
    private static long lateAttempts(long first, long full, long shortened) {
        Archive measured = (build, attempted, last) -> {
            TransferResult result = attempted
                    ? archive(GB, 500 + shortened, GB / 10 * 9)
                    : archive(GB, 500 + (build == 1 ? first : full), 0);
            return ChunkIndexer.stats(List.of(result), last);
        };
        return attempts(150, DeltaEstimator::isInFull, measured).stream()
                .filter(build -> build > 100)
                .count();
    }

    /** Without a full build from time to time, one slow build would decide forever. */
    @Test
    void slowFirstBuildIsForgotten() {
        assertTrue(lateAttempts(20_000, 8_000, 12_000) <= 5);
        assertEquals(48, lateAttempts(20_000, 20_000, 12_000));
        assertTrue(lateAttempts(80_000, 80_000, 90_000) <= 5);
    }

    /** The mean of all archives is too small to gain time. */
    @Test
    void smallArchivesDoNotHideLargeArchive() {
        TransferResult[] archives = new TransferResult[50];
        Arrays.fill(archives, archive(5_000, 510, 0));
        archives[30] = archive(120_000_000, 10_100, 0);
        ArchiveStats stats = ChunkIndexer.stats(List.of(archives), null);
        assertEquals(120_000_000, stats.rawBytes());
        assertEquals(80, stats.nanosPerWire());
        assertTrue(DeltaEstimator.isWorthwhile(stats, Double.NaN, 670_000));
    }
}
