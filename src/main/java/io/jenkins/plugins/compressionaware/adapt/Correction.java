package io.jenkins.plugins.compressionaware.adapt;

/**
 * How far measurements lie from the built-in figures: a factor for everything of one family and one for each rung beside it, both kept as
 * logarithms. The lesson of one rung so counts for the others too: most of it for all, and the rest for its neighbours, the more the less they were
 * measured themselves.
 */
final class Correction {
    /** Share of an error that is laid to the family; the rest to the rung. */
    private static final double COMMON = 0.7;

    /** Weight of a new measurement in the long run: the mean of about the last 12. */
    private static final double GAIN = 0.15;

    /** As many measurements of a neighbour count, half for the next rung, a quarter for the one after it. */
    private static final double NEIGHBOUR = 2;

    private double common;
    private final double[] own;
    private final double[] measured;

    Correction(int rungs) {
        own = new double[rungs];
        measured = new double[rungs];
    }

    /** The factor to apply to the built-in figure. */
    double factor(int rung) {
        double weights = 0;
        double sum = 0;
        for (int i = 0; i < own.length; i++) {
            double weight = i == rung ? measured[i] : Math.min(NEIGHBOUR, measured[i]) / (1 << Math.abs(i - rung));
            weights += weight;
            sum += weight * own[i];
        }
        return Math.exp(common + (weights == 0 ? 0 : sum / weights));
    }

    /**
     * @param expected built-in figure times {@link #factor}, and whatever else is known
     * @param actual   the same as measured, above 0
     */
    void measured(int rung, double expected, double actual) {
        double error = Math.log(actual / expected);
        double gain = Math.max(GAIN, 1 / (measured[rung] + 1));
        common += error * gain * COMMON;
        own[rung] += error * gain * (1 - COMMON);
        // whatever moves them all is common
        measured[rung]++;
    }

    /** Lets knowledge age: what was measured long ago counts less, so that it is tried again. */
    void age(double keep) {
        for (int i = 0; i < measured.length; i++) {
            measured[i] *= keep;
        }
    }

    /** Measurements of this rung, older ones counted less. */
    double measurements(int rung) {
        return measured[rung];
    }
}
