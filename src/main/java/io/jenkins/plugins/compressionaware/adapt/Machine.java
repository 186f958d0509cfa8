package io.jenkins.plugins.compressionaware.adapt;

/** How fast the agent is now, compared with the machine of {@link BuiltIn}: a factor common to all classes, which other builds change. */
final class Machine {
    /** Share of a block's error that is laid to the machine; the rest to its class. */
    private static final double SHARE = 0.3;

    /** Most that one block changes, as a logarithm. */
    private static final double MOST = 1.0;

    private double slowness;
    private int blocks;

    double factor() {
        return Math.exp(slowness);
    }

    /** The first blocks count fully, later ones by the gain that the class gives them. */
    void measured(double expected, double actual) {
        double error = Math.max(-MOST, Math.min(MOST, Math.log(actual / expected)));
        slowness += error * (blocks < 4 ? 0.5 : SHARE * 0.3);
        blocks++;
    }
}
