package io.jenkins.plugins.compressionaware.engine.receive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HeapBudgetTest {
    private static final int MEBIBYTE = 1 << 20;
    private static final long LEAST = 300 * 1024;

    @Test
    void aTransferThatIsAloneGetsTheWholeWindow() {
        HeapBudget budget = new HeapBudget(4 * Credit.WINDOW + MEBIBYTE);
        try (HeapBudget.Reservation account = budget.open(MEBIBYTE, LEAST)) {
            assertEquals(Credit.WINDOW, account.grant(0));
            assertEquals(Credit.WINDOW + MEBIBYTE, budget.inUse());
            assertEquals(Credit.WINDOW + 100, account.grant(100));
            assertEquals(Credit.WINDOW + MEBIBYTE, budget.inUse(), "what is consumed is free");
        }
        assertEquals(0, budget.inUse());
    }

    @Test
    void whatATransferNeedsInAnyCaseCountsAgainstItsWindow() {
        HeapBudget budget = new HeapBudget(21 * MEBIBYTE);
        HeapBudget.Reservation account = budget.open(MEBIBYTE, LEAST);
        assertEquals(10 * MEBIBYTE, account.grant(0));
        assertEquals(LEAST, account.minWindow());
    }

    @Test
    void manyStayWithinTheLimitAndEachHasSomething() {
        HeapBudget budget = new HeapBudget(64 * MEBIBYTE);
        List<HeapBudget.Reservation> accounts = new ArrayList<>();
        for (int i = 0; i < 62; i++) {
            accounts.add(budget.open(0, LEAST));
        }
        assertTrue(budget.inUse() <= budget.limit() + 62 * LEAST, budget.inUse() + " in use");
        assertEquals(LEAST, accounts.get(61).grant(0));
    }

    @Test
    void whoHasMoreThanOthersGetsNoMoreUntilItIsConsumed() {
        HeapBudget budget = new HeapBudget(32 * MEBIBYTE);
        HeapBudget.Reservation first = budget.open(0, LEAST);
        long start = first.grant(0);
        assertEquals(16 * MEBIBYTE, start);
        for (int i = 0; i < 3; i++) {
            budget.open(0, LEAST);
        }
        assertEquals(start, first.grant(0));
        assertEquals(start, first.grant(MEBIBYTE));
        long later = first.grant(start);
        assertTrue(later - start < 10 * MEBIBYTE && later - start > 8 * MEBIBYTE, later - start + " bytes");
    }

    @Test
    void busyTransfersComeToEqualShares() {
        HeapBudget budget = new HeapBudget(64 * MEBIBYTE);
        List<HeapBudget.Reservation> accounts = new ArrayList<>();
        long[] limits = new long[13];
        for (int i = 0; i < limits.length; i++) {
            accounts.add(budget.open(0, LEAST));
        }
        for (int round = 0; round < 50; round++) {
            for (int i = 0; i < limits.length; i++) {
                limits[i] = accounts.get(i).grant(limits[i]);
            }
        }
        long share = budget.limit() / (limits.length + 1);
        for (int i = 0; i < limits.length; i++) {
            long window = accounts.get(i).grant(limits[i]) - limits[i];
            assertTrue(Math.abs(window - share) < share / 10, window + " instead of " + share);
        }
        assertTrue(budget.inUse() <= budget.limit(), budget.inUse() + " in use");
    }

    @Test
    void whatIsClosedTakesNothingMore() {
        HeapBudget budget = new HeapBudget(64 * MEBIBYTE);
        HeapBudget.Reservation account = budget.open(MEBIBYTE, LEAST);
        account.close();
        account.grant(5 * MEBIBYTE);
        account.close();
        assertEquals(0, budget.inUse());
    }

    @Test
    void whoIsSentNothingHasNoWindow() {
        HeapBudget budget = new HeapBudget(64 * MEBIBYTE);
        try (HeapBudget.Reservation account = budget.open(MEBIBYTE, 0)) {
            assertEquals(MEBIBYTE, budget.inUse());
            assertTrue(account.tryReserve(MEBIBYTE));
            assertEquals(2 * MEBIBYTE, budget.inUse());
        }
        assertEquals(0, budget.inUse());
    }

    /** Mebibytes. */
    @ParameterizedTest
    @CsvSource({"64, 16", "128, 32", "256, 32", "512, 64", "4096, 512"})
    void allHaveAnEighthOfTheHeapAndMoreOfASmallOne(long heap, long limit) {
        assertEquals(limit * MEBIBYTE, HeapBudget.limitOf(heap * MEBIBYTE));
    }
}
