package io.jenkins.plugins.compressionaware.engine.adaptive;

/**
 * Corrects built-in figures by measurements, with one factor for the family and one per rung, kept as logarithms. A measurement of one rung
 * also corrects the others: most of its error is attributed to the family, and rungs with few measurements follow their neighbours.
 */
final class EstimateCorrection {
    /** Share of an error that is attributed to the family; the rest is attributed to the rung. */
    private static final double FAMILY_SHARE = 0.7;

    /** Weight of a new measurement in the long run, which gives a mean of about the latest 12. */
    private static final double GAIN = 0.15;

    /** Maximum weight of a neighbour's measurements. The adjacent rung gets half of it, the rung after that a quarter. */
    private static final double MAX_NEIGHBOUR_WEIGHT = 2;

    private double family;
    private final double[] own;

    /** Number of measurements after which a rung counts as no better known, so that it is tried again. */
    private static final int MAX_MEASUREMENTS = 12;

    /** The number of measurements of each rung, at most {@link #MAX_MEASUREMENTS}. */
    final double[] measurements;

    EstimateCorrection(int rungs) {
        own = new double[rungs];
        measurements = new double[rungs];
    }

    /** Returns the factor for the built-in figure. */
    double factor(int rung) {
        return Math.exp(family + deviation(rung));
    }

    /** Returns the weighted mean of the deviations of the rung and its neighbours. */
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

    private double weight(int source, int rung) {
        return source == rung
                ? measurements[source]
                : Math.min(MAX_NEIGHBOUR_WEIGHT, measurements[source]) / (1 << Math.abs(source - rung));
    }

    /**
     * Corrects the factors by a measurement.
     *
     * @param expected built-in figure times {@link #factor}
     * @param actual   measured figure, above 0
     */
    void update(int rung, double expected, double actual) {
        double error = Math.log(actual / expected);
        double gain = Math.max(GAIN, 1 / (measurements[rung] + 1));
        family += error * gain * FAMILY_SHARE;
        // the weight of the rung grows by one, so this target moves its estimate by exactly its share of the error
        double target = deviation(rung) + error * gain * (1 - FAMILY_SHARE) * (weights(rung) + 1);
        own[rung] = (measurements[rung] * own[rung] + target) / (measurements[rung] + 1);
        measurements[rung] = Math.min(MAX_MEASUREMENTS, measurements[rung] + 1);
    }
}
