package io.jenkins.plugins.compressionaware.provisioning;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoundTripEstimateTest {
    /** @param micros times of successive calls */
    private static RoundTripEstimate after(long... micros) {
        RoundTripEstimate roundTrip = null;
        for (long time : micros) {
            roundTrip = RoundTripEstimate.measured(roundTrip, time * 1000);
        }
        return roundTrip;
    }

    @Test
    void shortestCallCounts() {
        assertEquals(4_000_000, after(20_000, 4_000, 9_000).nanos());
    }

    @Test
    void singleMeasurementIsNotEnough() {
        assertTrue(after(20_000).needsRemeasuring());
    }

    @Test
    void isRemeasuredWhileTimesDecrease() {
        assertTrue(after(40_000, 30_000, 20_000).needsRemeasuring());
        assertTrue(after(40_000, 30_000, 20_000, 10_000).needsRemeasuring());
        assertFalse(after(40_000, 30_000, 20_000, 10_000, 9_500).needsRemeasuring());
        assertFalse(after(40_000, 30_000, 20_000, 35_000).needsRemeasuring(), "a slow call is not a shorter one");
    }

    @Test
    void newAgentIsRemeasuredBeforeItCountsAsFar() {
        assertTrue(after(34_000, 33_000, 32_000, 32_000, 33_000, 32_000).needsRemeasuring());
        assertFalse(
                after(34_000, 33_000, 32_000, 32_000, 33_000, 32_000, 40_000).needsRemeasuring());
        assertFalse(after(34_000, 33_000, 22_000, 22_000).needsRemeasuring());
        assertFalse(after(100_000, 100_000).needsRemeasuring(), "a new agent nearby never takes this long");
    }

    @Test
    void shortRoundTripIsNotRemeasured() {
        assertFalse(after(3_000).needsRemeasuring());
        assertTrue(after(3_001).needsRemeasuring());
    }

    @Test
    void isFarAbove30Millis() {
        assertFalse(after(30_000).isFar());
        assertTrue(after(30_001).isFar());
    }

    /** The channel carries 200 MiB/s, and a lane 1 MiB per round trip. */
    @ParameterizedTest
    @CsvSource({
        "0, 1",
        "200, 1",
        "5000, 1",
        "5001, 2",
        "10000, 2",
        "20000, 4",
        "35000, 7",
        "35001, 8",
        "40000, 8",
        "500000, 8"
    })
    void lanesFillTheChannel(long micros, int lanes) {
        assertEquals(lanes, after(micros).streams());
    }

    /** Sending 1.7 MB in 0.13 s takes seven round trips and hardly any time of the link. */
    @Test
    void startupRoundTripsDoNotCountAsLinkTime() {
        assertEquals(0, after(20_000).nanosPerByte(130_000_000, 1_700_000));
        assertEquals(80, after(20_000).nanosPerByte(240_000_000, 1_000_000));
        assertEquals(80, after(200).nanosPerByte(81_600_000, 1_000_000));
    }
}
