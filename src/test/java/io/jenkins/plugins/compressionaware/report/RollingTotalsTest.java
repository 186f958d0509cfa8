package io.jenkins.plugins.compressionaware.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

public class RollingTotalsTest {
    private static final long DAY = TimeUnit.DAYS.toMillis(1);
    private static final long HOUR = TimeUnit.HOURS.toMillis(1);
    private static final long MINUTE = TimeUnit.MINUTES.toMillis(1);
    private static final long NOON = 20_000 * DAY + 12 * HOUR;

    private final RollingTotals totals = new RollingTotals();

    @Test
    void oldDaysLeaveThePeriods() {
        add("a", "j", 7, NOON);

        assertEquals(7, totals.sinceYesterday(NOON + DAY).rawBytes);
        assertEquals(0, totals.sinceYesterday(NOON + 2 * DAY).rawBytes);
        assertEquals(7, totals.lastWeek(NOON + 6 * DAY).rawBytes);
        assertEquals(0, totals.lastWeek(NOON + 7 * DAY).rawBytes);
        assertEquals(Map.of(), totals.agents(NOON + 7 * DAY));
        assertEquals(Map.of(), totals.jobs(NOON + 7 * DAY));
    }

    @Test
    void totalsOfAgentsAndJobsSpanDays() {
        add("a", "j", 1, NOON);
        add("b", "j", 2, NOON + DAY);
        add("a", "k", 4, NOON + 2 * DAY);

        assertEquals(5, totals.agents(NOON + 2 * DAY).get("a").rawBytes);
        assertEquals(2, totals.agents(NOON + 2 * DAY).get("b").rawBytes);
        assertEquals(3, totals.jobs(NOON + 2 * DAY).get("j").rawBytes);
    }

    @Test
    void newestFailedBuildOfEachJobIsKeptForTwoDays() {
        TransferInfo transfer = new TransferInfo(TransferInfo.Operation.ARCHIVE, "j", 1, "a", null, 1, null);
        TransferTotals failed = new TransferTotals(TransferResults.failed(transfer, 1, 1, new IOException()));
        totals.add("a", "j", 3, failed, NOON);
        totals.add("a", "j", 2, failed, NOON);
        totals.add("a", "k", 9, failed, NOON);
        add("a", "whole", 1, NOON);

        assertEquals(Map.of("j", 3, "k", 9), totals.failedBuilds(NOON + DAY));
        totals.add("a", "j", 4, failed, NOON + DAY);
        assertEquals(Map.of("j", 4, "k", 9), totals.failedBuilds(NOON + DAY));
        assertEquals(Map.of("j", 4), totals.failedBuilds(NOON + 2 * DAY));
        for (int i = 0; i < 2 * RollingTotals.MAX_NAMES_PER_DAY; i++) {
            totals.add("a", "job" + i, 1, failed, NOON + DAY);
        }
        assertEquals(
                RollingTotals.MAX_NAMES_PER_DAY,
                totals.failedBuilds(NOON + 2 * DAY).size());
    }

    @Test
    void clockSetBackRemovesFutureDays() {
        add("a", "j", 1, NOON + 30 * DAY);
        add("a", "j", 2, NOON);

        assertEquals(2, totals.lastWeek(NOON).rawBytes);
        assertEquals(2, totals.sinceYesterday(NOON).rawBytes);
    }

    @Test
    void sumsSaturate() {
        add("a", "j", Long.MAX_VALUE - 1, NOON);
        add("b", "j", Long.MAX_VALUE - 1, NOON);
        assertEquals(Long.MAX_VALUE, totals.lastWeek(NOON).rawBytes);
        assertEquals(Long.MAX_VALUE, totals.jobs(NOON).get("j").rawBytes);
    }

    /** Simulates a year of a busy Jenkins. */
    @Test
    void sizeIsBoundedAfterAYear() {
        long now = NOON;
        for (int i = 0; i < 365 * 24 * 12; i++) {
            now = NOON + i * 5 * MINUTE;
            add("agent" + i % 1000, "job" + i % 5000, 1000, now);
            if (i == 359 * 24 * 12) {
                add("heavy", "heavy", 1_000_000_000, now);
            }
        }
        int sums = totals.week.stream()
                .mapToInt(day -> 1 + day.agents.size() + day.jobs.size())
                .sum();
        assertTrue(sums <= 7 + 7 * 2 * RollingTotals.MAX_NAMES_PER_DAY, "sums: " + sums);
        assertEquals(1_000_000_000, totals.jobs(now).get("heavy").rawBytes, "light jobs displaced a heavy one");
    }

    private void add(String agent, String job, long bytes, long now) {
        totals.add(agent, job, 1, new TransferTotals(transfer(agent, job, bytes, null)), now);
    }

    public static TransferResult transfer(String agent, String job, long bytes, @CheckForNull String zstdProblem) {
        SendReport sent = new SendReport(
                new Figures(1, bytes, 0, bytes / 2, 0, 0, 0, 0, 3_000_000),
                new ArrayList<>(),
                true,
                zstdProblem,
                2,
                null);
        ReceiveReport received = ReceiveReport.of(Figures.counts(1, bytes, bytes, bytes / 2, 1_000_000));
        TransferInfo transfer = new TransferInfo(TransferInfo.Operation.ARCHIVE, job, 1, agent, null, 1, null);
        return TransferResults.completed(transfer, 10, bytes / 2, 0, 1, sent, received);
    }
}
