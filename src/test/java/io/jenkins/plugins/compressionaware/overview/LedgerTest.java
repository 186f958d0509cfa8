package io.jenkins.plugins.compressionaware.overview;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.adapt.Reason;
import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.send.SendReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LedgerTest {
    private static final long DAY = TimeUnit.DAYS.toMillis(1);
    private static final long HOUR = TimeUnit.HOURS.toMillis(1);
    private static final long MINUTE = TimeUnit.MINUTES.toMillis(1);
    private static final long NOON = 20_000 * DAY + 12 * HOUR;

    private final Ledger ledger = new Ledger();

    @Test
    void eachPeriodEnds() {
        ledger.add(transfer("a", "j", 7), NOON);

        assertEquals(7, ledger.lastHour(NOON + 54 * MINUTE).rawBytes);
        assertEquals(0, ledger.lastHour(NOON + HOUR).rawBytes);
        assertEquals(7, ledger.lastDay(NOON + 22 * HOUR).rawBytes);
        assertEquals(0, ledger.lastDay(NOON + DAY).rawBytes);
        assertEquals(7, ledger.lastWeek(NOON + 6 * DAY).rawBytes);
        assertEquals(0, ledger.lastWeek(NOON + 7 * DAY).rawBytes);
        assertEquals(Map.of(), ledger.agents(NOON + 7 * DAY));
        assertEquals(Map.of(), ledger.jobs(NOON + 7 * DAY));
    }

    @Test
    void sumsOfAgentsAndJobsReachOverDays() {
        ledger.add(transfer("a", "j", 1), NOON);
        ledger.add(transfer("b", "j", 2), NOON + DAY);
        ledger.add(transfer("a", "k", 4), NOON + 2 * DAY);

        assertEquals(5, ledger.agents(NOON + 2 * DAY).get("a").rawBytes);
        assertEquals(2, ledger.agents(NOON + 2 * DAY).get("b").rawBytes);
        assertEquals(3, ledger.jobs(NOON + 2 * DAY).get("j").rawBytes);
    }

    @Test
    void aClockThatIsSetBackLosesTheFuture() {
        ledger.add(transfer("a", "j", 1), NOON + 30 * DAY);
        ledger.add(transfer("a", "j", 2), NOON);

        assertEquals(2, ledger.lastWeek(NOON).rawBytes);
        assertEquals(2, ledger.lastHour(NOON).rawBytes);
    }

    /** A year of a busy Jenkins: what there is to add up for the page does not grow. */
    @Test
    void aYearIsNoMoreWorkThanAWeek() {
        long now = NOON;
        for (int i = 0; i < 365 * 24 * 12; i++) {
            now = NOON + i * 5 * MINUTE;
            ledger.add(transfer("agent" + i % 1000, "job" + i % 5000, 1000), now);
            if (i == 359 * 24 * 12) {
                ledger.add(transfer("heavy", "heavy", 1_000_000_000), now);
            }
        }
        Ledger copy = ledger.copy();
        assertTrue(copy.sizeInSums() <= 12 + 24 + 7 + 7 * 2 * Slot.NAMES, "sums: " + copy.sizeInSums());
        assertEquals(1_000_000_000, ledger.jobs(now).get("heavy").rawBytes, "a heavy job is pushed out by light ones");
        assertEquals(ledger.lastWeek(now).rawBytes, copy.lastWeek(now).rawBytes);
    }

    static TransferResult transfer(String agent, String job, long bytes) {
        SendReport sent = new SendReport(
                new ArrayList<>(),
                new Reason(Reason.Limit.LINK),
                new ArrayList<>(),
                1,
                bytes,
                bytes / 2,
                2,
                0,
                0,
                null,
                3_000_000);
        ReceiveReport received = new ReceiveReport(1, bytes, bytes, bytes / 2, 0, 0, 0, 1_000_000, List.of());
        return new TransferResult(
                new Transfer(Transfer.Kind.ARCHIVE, job, 1, agent, null, 1, null),
                NOON,
                10_000_000,
                bytes / 2,
                0,
                1,
                0,
                sent,
                received,
                null);
    }
}
