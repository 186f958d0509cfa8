package io.jenkins.plugins.compressionaware.engine.adaptive;

/**
 * How far measurements lie from the built-in figures: one factor for the whole family and one for each rung, all kept as logarithms. A measurement of one
 * rung thus informs the others too: most of it applies to all rungs, and the rest to the neighbours, more so the less they have been measured.
 */
final class EstimateCorrection {
    /** Share of an error that is attributed to the family; the rest goes to the rung. */
    private static final double FAMILY_SHARE = 0.7;

    /** Weight of a new measurement in the long run: the mean of about the last 12. */
    private static final double GAIN = 0.15;

    /** Most measurements of a neighbour that count, weighted by a half for the next rung and a quarter for the one after it. */
    private static final double MAX_NEIGHBOUR_WEIGHT = 2;

    private double common;
    private final double[] own;
    private final double[] update;

    EstimateCorrection(int rungs) {
        own = new double[rungs];
        update = new double[rungs];
    }

    /** The factor to apply to the built-in figure. */
    double factor(int rung) {
        return Math.exp(common + deviation(rung));
    }

    /** Returns the weighted mean of the rung's own part and its neighbours' parts. */
    private double deviation(int rung) {
        double sum = 0;
        for (int i = 0; i < own.length; i++) {
            sum += weight(i, rung) * own[i];
        }
        return sum == 0 ? 0 : sum / weights(rung);
    }

    private double weights(int rung) {
        double weights = 0;
        for (int i = 0; i < own.length; i++) {
            weights += weight(i, rung);
        }
        return weights;
    }

    private double weight(int of, int rung) {
        return of == rung ? update[of] : Math.min(MAX_NEIGHBOUR_WEIGHT, update[of]) / (1 << Math.abs(of - rung));
    }

    /**
     * @param expected built-in figure times {@link #factor}
     * @param actual   measured figure, above 0
     */
    void update(int rung, double expected, double actual) {
        double error = Math.log(actual / expected);
        double gain = Math.max(GAIN, 1 / (update[rung] + 1));
        common += error * gain * FAMILY_SHARE;
        // the rung's own weight grows: this term moves the estimate by exactly this share of the error
        double moved = deviation(rung) + error * gain * (1 - FAMILY_SHARE) * (weights(rung) + 1);
        own[rung] = (update[rung] * own[rung] + moved) / (update[rung] + 1);
        update[rung]++;
    }

    /** Ages what is known: old measurements count less, so that their rungs are tried again. */
    void decay(double keep) {
        for (int i = 0; i < update.length; i++) {
            update[i] *= keep;
        }
    }

    /** Number of measurements of this rung; older ones count less. */
    double measurements(int rung) {
        return update[rung];
    }
}
