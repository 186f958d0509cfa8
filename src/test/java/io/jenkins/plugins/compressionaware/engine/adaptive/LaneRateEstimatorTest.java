package io.jenkins.plugins.compressionaware.engine.adaptive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LaneRateEstimatorTest {
    /** Initial estimate, nanoseconds per byte. */
    private static final double INITIAL = 20;

    private final LaneRateEstimator rate = new LaneRateEstimator();

    /** Records a write: bytes, milliseconds of writing, and milliseconds of waiting for frames. */
    private void sent(int bytes, int writing, int frameWait) {
        rate.sent(new LaneWrite(bytes, writing * 1_000_000L, 0, frameWait * 1_000_000L));
    }

    private void assertCost(double expected) {
        assertEquals(expected, rate.nanosPerByte(), expected / 1e6);
    }

    /** A stream transfers at most 1 MiB per round trip, however fast the link is. */
    @ParameterizedTest
    @CsvSource({"1, 100, 95.37", "4, 100, 23.84", "5, 100, 20", "6, 100, 20", "1, 0, 20"})
    void rateIsAtMostOneWindowPerRoundTripAndStream(int streams, double millis, double cost) {
        rate.setLanes(streams, true);
        rate.roundTrip(millis * 1e6);
        assertEquals(cost, rate.nanosPerByte(), 0.01);
    }

    @Test
    void requestsAreNotBoundByWindow() {
        rate.roundTrip(100e6);
        rate.setLanes(1, false);
        assertCost(INITIAL);
        rate.setLanes(1, true);
        assertCost(100e6 / (1 << 20));
    }

    @Test
    void busyLaneShowsItsRate() {
        sent(1_000_000, 9, 0);
        assertCost(INITIAL);
        sent(1_000_000, 11, 0);
        assertCost(10);
        sent(4_000_000, 20, 0);
        assertCost(5);
        // the rate is measured now, so one period of ten times the cost has less weight
        sent(400_000, 20, 0);
        assertCost(12.55943);
    }

    @Test
    void periodEndsAfterTwoWindowsOfBytes() {
        sent(2 << 20, 1, 0);
        assertCost(1e6 / (2 << 20));
    }

    @Test
    void ratesOfLanesAddUp() {
        rate.setLanes(2, true);
        sent(1_000_000, 10, 0);
        assertCost(INITIAL);
        sent(1_000_000, 10, 0);
        assertCost(5);
    }

    @Test
    void waitingLaneShowsLowerBound() {
        sent(4_000_000, 5, 15);
        assertCost(5);
        sent(1_000_000, 10, 10);
        assertCost(5);
    }

    /** Writes into an empty window may be faster than the link. */
    @Test
    void fastWritesOfWaitingLaneAtMostDoubleRate() {
        sent(1_000_000, 1, 19);
        assertCost(INITIAL / 2);
        sent(1_000_000, 1, 19);
        assertCost(INITIAL / 4);
        // but at most to the rate of the writes
        sent(1_000_000, 7, 13);
        assertCost(INITIAL / 4);
    }

    /** An empty window accepts a megabyte immediately on any link. */
    @Test
    void knownRateHoldsUntilFirstWindowIsFull() {
        rate.known(1000);
        assertCost(1000);
        sent(500_000, 1, 19);
        assertCost(1000);
        sent(500_000, 1, 19);
        assertCost(1000);
        sent(500_000, 1, 19);
        assertCost(40);
    }

    @Test
    void busyLaneCorrectsKnownRate() {
        rate.known(10);
        sent(100_000, 100, 0);
        assertCost(1000);
    }

    @Test
    void requestsCorrectKnownRateWithoutFullWindow() {
        rate.known(1000);
        rate.setLanes(1, false);
        sent(500_000, 1, 19);
        assertCost(40);
    }

    @Test
    void creditWaitIsNotWriteTime() {
        rate.sent(new LaneWrite(1_000_000, 1_000_000, 19_000_000, 0));
        assertCost(INITIAL / 2);
    }
}
