package io.jenkins.plugins.compressionaware.engine.adaptive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LaneRateEstimatorTest {
    /** Of the first guess, nanoseconds per byte. */
    private static final double GUESS = 20;

    private final LaneRateEstimator rate = new LaneRateEstimator();

    /** A piece: bytes, and milliseconds of writing and of waiting for frames. */
    private void sent(int bytes, int writing, int starved) {
        rate.sent(new LaneWrite(bytes, writing * 1_000_000L, 0, starved * 1_000_000L));
    }

    private void assertCost(double expected) {
        assertEquals(expected, rate.nanosPerByte(), expected / 1e6);
    }

    /** A stream carries 1 MiB per round trip, however fast the link is. */
    @ParameterizedTest
    @CsvSource({"1, 100, 95.37", "4, 100, 23.84", "5, 100, 20", "6, 100, 20", "1, 0, 20"})
    void noMoreThanAWindowPerRoundTripAndStream(int streams, double millis, double cost) {
        rate.setLanes(streams, true);
        rate.roundTrip(millis * 1e6);
        assertEquals(cost, rate.nanosPerByte(), 0.01);
    }

    @Test
    void requestsHaveNoWindow() {
        rate.roundTrip(100e6);
        rate.setLanes(1, false);
        assertCost(GUESS);
        rate.setLanes(1, true);
        assertCost(100e6 / (1 << 20));
    }

    @Test
    void aBusyLaneTellsItsRate() {
        sent(1_000_000, 9, 0);
        assertCost(GUESS);
        sent(1_000_000, 11, 0);
        assertCost(10);
        sent(4_000_000, 20, 0);
        assertCost(5);
        // no longer a guess, so one period counts less
        sent(400_000, 20, 0);
        assertCost(5 * Math.pow(10, 0.4));
    }

    @Test
    void muchAtOnceNeedsNoTime() {
        sent(2 << 20, 1, 0);
        assertCost(1e6 / (2 << 20));
    }

    @Test
    void lanesAddUp() {
        rate.setLanes(2, true);
        sent(1_000_000, 10, 0);
        assertCost(GUESS);
        sent(1_000_000, 10, 0);
        assertCost(5);
    }

    @Test
    void aLaneThatWaitsIsAtLeastAsFastAsWhatItWasGiven() {
        sent(4_000_000, 5, 15);
        assertCost(5);
        sent(1_000_000, 10, 10);
        assertCost(5);
    }

    /** Its writes may be as fast as an empty window takes them. */
    @Test
    void ofHowFastItWroteUpToTwiceWhatWasKnownIsBelieved() {
        sent(1_000_000, 1, 19);
        assertCost(GUESS / 2);
        sent(1_000_000, 1, 19);
        assertCost(GUESS / 4);
        // but not more than how fast it wrote
        sent(1_000_000, 7, 13);
        assertCost(GUESS / 4);
    }

    /** An empty window takes a megabyte of any link at once. */
    @Test
    void whatIsKnownBeforeHoldsUntilTheFirstWindowIsFull() {
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
    void aBusyLaneCorrectsWhatIsKnownAtOnce() {
        rate.known(10);
        sent(100_000, 100, 0);
        assertCost(1000);
    }

    @Test
    void ofRequestsWhichHaveNoWindowAllIsBelieved() {
        rate.known(1000);
        rate.setLanes(1, false);
        sent(500_000, 1, 19);
        assertCost(40);
    }

    @Test
    void waitingForCreditIsNoWriting() {
        rate.sent(new LaneWrite(1_000_000, 1_000_000, 19_000_000, 0));
        assertCost(GUESS / 2);
    }
}
