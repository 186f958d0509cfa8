package io.jenkins.plugins.compressionaware.engine.adaptive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EstimateCorrectionTest {
    private static final int RUNGS = 7;
    private static final int USED = 2;

    private final EstimateCorrection correction = new EstimateCorrection(RUNGS);

    /** Measures the rung in use until its estimate settles at {@code factor} times the built-in figure. */
    private static void measureRungInUse(EstimateCorrection correction, double factor) {
        for (int i = 0; i < 60; i++) {
            correction.update(USED, correction.factor(USED), factor);
        }
    }

    @Test
    void repeatedMeasurementsReplaceBuiltInFigure() {
        measureRungInUse(correction, 10);
        assertEquals(10, correction.factor(USED), 0.01);
    }

    /** An estimate never moves away from the measurement, even if the data differ much from the built-in figures. */
    @ParameterizedTest
    @CsvSource({"10, 0.85", "10, 1.15", "5, 1", "1, 0.85", "0.1, 0.85", "0.1, 1.15", "0.02, 0.5", "0.02, 1"})
    void firstMeasurementMovesEstimateTowardsMeasuredValue(double factor, double surprise) {
        for (int rung = 0; rung < RUNGS; rung++) {
            EstimateCorrection each = new EstimateCorrection(RUNGS);
            measureRungInUse(each, factor);
            double expected = each.factor(rung);
            each.update(rung, expected, expected * surprise);
            double moved = Math.log(each.factor(rung) / expected);
            double whole = Math.log(surprise);
            assertEquals(whole / 2, moved, Math.abs(whole) / 2 + 1e-9, "rung " + rung);
        }
    }

    @Test
    void measurementCorrectsCloserRungsMore() {
        correction.update(USED, 1, 2);
        for (int rung = 0; rung < RUNGS; rung++) {
            assertEquals(2, correction.factor(rung), 1e-9, "nothing else is known, rung " + rung);
        }
        correction.update(6, correction.factor(6), 4);
        double[] factors = new double[RUNGS];
        for (int rung = 0; rung < RUNGS; rung++) {
            factors[rung] = correction.factor(rung);
        }
        for (int rung = USED + 1; rung < RUNGS; rung++) {
            assertEquals(true, factors[rung] >= factors[rung - 1], "rung " + rung);
        }
    }
}
