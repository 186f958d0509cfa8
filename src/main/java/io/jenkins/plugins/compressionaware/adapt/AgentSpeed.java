package io.jenkins.plugins.compressionaware.adapt;

/** How fast the agent is now, compared with the machine of {@link BuiltIn}: a factor common to all families, which other builds change. */
final class AgentSpeed {
    /** Weight of a block: the mean of about the last 20. */
    private static final double GAIN = 0.09;

    /** Most that one block changes, as a logarithm. */
    private static final double MOST = 1.0;

    private double slowness;
    private int blocks;

    double factor() {
        return Math.exp(slowness);
    }

    /**
     * Learns from a block. That its family may always take longer than others is the family's affair: a factor measured against anything
     * that moves with it would drift.
     *
     * @param builtIn figure of {@link BuiltIn}
     */
    void measured(double builtIn, double actual) {
        double error = Math.max(-MOST, Math.min(MOST, Math.log(actual / builtIn) - slowness));
        slowness += error * (blocks < 4 ? 0.5 : GAIN);
        blocks++;
    }
}
