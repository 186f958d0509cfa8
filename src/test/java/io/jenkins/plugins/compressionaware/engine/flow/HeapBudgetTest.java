package io.jenkins.plugins.compressionaware.engine.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HeapBudgetTest {
    private static final int MEBIBYTE = 1 << 20;
    private static final long MIN_WINDOW = 300 * 1024;

    @Test
    void onlyTransferGetsWholeWindow() {
        HeapBudget budget = new HeapBudget(4 * Credit.WINDOW + MEBIBYTE);
        try (HeapBudget.Reservation reservation = budget.open(MEBIBYTE, MIN_WINDOW)) {
            assertEquals(Credit.WINDOW, reservation.grant(0));
            assertEquals(Credit.WINDOW + MEBIBYTE, budget.inUse());
            assertEquals(Credit.WINDOW + 100, reservation.grant(100));
            assertEquals(Credit.WINDOW + MEBIBYTE, budget.inUse(), "consumed bytes are released");
        }
        assertEquals(0, budget.inUse());
    }

    @Test
    void fixedBytesReduceWindow() {
        HeapBudget budget = new HeapBudget(21 * MEBIBYTE);
        HeapBudget.Reservation reservation = budget.open(MEBIBYTE, MIN_WINDOW);
        assertEquals(10 * MEBIBYTE, reservation.grant(0));
        assertEquals(MIN_WINDOW, reservation.minWindow());
    }

    @Test
    void manyTransfersStayWithinLimitAndGetTheirMinimum() {
        HeapBudget budget = new HeapBudget(64 * MEBIBYTE);
        List<HeapBudget.Reservation> reservations = new ArrayList<>();
        for (int i = 0; i < 62; i++) {
            reservations.add(budget.open(0, MIN_WINDOW));
        }
        assertTrue(budget.inUse() <= budget.limit() + 62 * MIN_WINDOW, budget.inUse() + " in use");
        assertEquals(MIN_WINDOW, reservations.get(61).grant(0));
    }

    @Test
    void transferAboveItsShareGetsNoMoreUntilItConsumes() {
        HeapBudget budget = new HeapBudget(32 * MEBIBYTE);
        HeapBudget.Reservation first = budget.open(0, MIN_WINDOW);
        long start = first.grant(0);
        assertEquals(16 * MEBIBYTE, start);
        for (int i = 0; i < 3; i++) {
            budget.open(0, MIN_WINDOW);
        }
        assertEquals(start, first.grant(0));
        assertEquals(start, first.grant(MEBIBYTE));
        long later = first.grant(start);
        assertTrue(later - start < 10 * MEBIBYTE && later - start > 8 * MEBIBYTE, later - start + " bytes");
    }

    @Test
    void busyTransfersConvergeToEqualShares() {
        HeapBudget budget = new HeapBudget(64 * MEBIBYTE);
        List<HeapBudget.Reservation> reservations = new ArrayList<>();
        long[] limits = new long[13];
        for (int i = 0; i < limits.length; i++) {
            reservations.add(budget.open(0, MIN_WINDOW));
        }
        for (int round = 0; round < 50; round++) {
            for (int i = 0; i < limits.length; i++) {
                limits[i] = reservations.get(i).grant(limits[i]);
            }
        }
        long share = budget.limit() / (limits.length + 1);
        for (int i = 0; i < limits.length; i++) {
            long window = reservations.get(i).grant(limits[i]) - limits[i];
            assertTrue(Math.abs(window - share) < share / 10, window + " instead of " + share);
        }
        assertTrue(budget.inUse() <= budget.limit(), budget.inUse() + " in use");
    }

    @Test
    void closedReservationReservesNothing() {
        HeapBudget budget = new HeapBudget(64 * MEBIBYTE);
        HeapBudget.Reservation reservation = budget.open(MEBIBYTE, MIN_WINDOW);
        reservation.close();
        reservation.grant(5 * MEBIBYTE);
        reservation.close();
        assertEquals(0, budget.inUse());
    }

    @Test
    void transferWithoutFramesHasNoWindow() {
        HeapBudget budget = new HeapBudget(64 * MEBIBYTE);
        try (HeapBudget.Reservation reservation = budget.open(MEBIBYTE, 0)) {
            assertEquals(MEBIBYTE, budget.inUse());
            assertTrue(reservation.tryReserve(MEBIBYTE));
            assertEquals(2 * MEBIBYTE, budget.inUse());
        }
        assertEquals(0, budget.inUse());
    }

    /** With 24 transfers of another agent, which consume nothing, an agent keeps at least half of its window. */
    @ParameterizedTest
    @ValueSource(ints = {32, 64, 512})
    void anotherAgentKeepsHalfOfItsWindow(int mebibytes) {
        long alone = windowBeside(0, new HeapBudget((long) mebibytes * MEBIBYTE));
        HeapBudget budget = new HeapBudget((long) mebibytes * MEBIBYTE);
        long beside = windowBeside(24, budget);
        assertTrue(beside >= alone / 2, beside + " instead of " + alone);
        long needed = 25 * (MEBIBYTE + MIN_WINDOW);
        assertTrue(budget.inUse() <= budget.limit() / 2 + needed + beside, budget.inUse() + " in use");
    }

    /** Returns the window of one transfer of an agent beside transfers of another agent. */
    private static long windowBeside(int hostile, HeapBudget budget) {
        for (int i = 0; i < hostile; i++) {
            budget.open(MEBIBYTE, MIN_WINDOW).of("hostile");
        }
        return budget.open(MEBIBYTE, MIN_WINDOW).of("honest").grant(0);
    }

    @Test
    void transfersOfOneAgentConvergeToEqualParts() {
        HeapBudget budget = new HeapBudget(64 * MEBIBYTE);
        List<HeapBudget.Reservation> reservations = new ArrayList<>();
        long[] limits = new long[4];
        for (int i = 0; i < limits.length; i++) {
            reservations.add(budget.open(0, MIN_WINDOW).of("agent"));
        }
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < limits.length; i++) {
                limits[i] = reservations.get(i).grant(limits[i]);
            }
        }
        for (int i = 0; i < limits.length; i++) {
            assertEquals(8 * MEBIBYTE, reservations.get(i).grant(limits[i]) - limits[i]);
        }
        assertEquals(32 * MEBIBYTE, budget.inUse());
        assertFalse(reservations.get(0).tryReserve(1), "files are part of the share");
        reservations.forEach(HeapBudget.Reservation::close);
        assertEquals(0, budget.inUse());
        assertEquals(Credit.WINDOW, budget.open(0, MIN_WINDOW).of("agent").grant(0));
    }

    /** In mebibytes. */
    @ParameterizedTest
    @CsvSource({"64, 16", "128, 32", "256, 32", "512, 64", "4096, 512"})
    void limitIsAnEighthOfTheHeapOrMoreOfASmallHeap(long heap, long limit) {
        assertEquals(limit * MEBIBYTE, HeapBudget.limitOf(heap * MEBIBYTE));
    }
}
