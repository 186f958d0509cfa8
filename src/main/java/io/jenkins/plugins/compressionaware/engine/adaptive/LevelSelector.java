package io.jenkins.plugins.compressionaware.engine.adaptive;

/** Picks the rung for the next block of a family: the best by the cost model. An occasional trial block measures a rung that may be better. */
final class LevelSelector {
    /** Uncertainty of the ratio of an unmeasured rung, as a logarithm. Falls with the square root of the number of measurements. */
    private static final double RATIO_UNCERTAINTY = 0.08;

    /** A codec that saves less than 1.5 % is not used: estimates are no more precise, and noise should stay uncompressed. */
    private static final double MAX_USEFUL_RATIO = 0.985;

    /** One of this many blocks of a family is a trial. */
    private static final int TRIAL_INTERVAL = 24;

    /** Number of blocks before the first trial. */
    private static final int BEFORE_FIRST_TRIAL = 3;

    private final int[] rungs;

    LevelSelector(int[] rungs) {
        this.rungs = rungs;
    }

    int choose(BlockFamilyEstimates family, CostModel model) {
        double fastest = Double.MAX_VALUE;
        for (int rung : rungs) {
            fastest = Math.min(fastest, model.time(cost(family, rung, false)));
        }
        boolean trial = family.blocks++ % TRIAL_INTERVAL == BEFORE_FIRST_TRIAL;
        int best = 0; // uncompressed, if no rung within the bounds saves enough
        double lowest = Double.MAX_VALUE;
        for (int rung : rungs) {
            double score = score(family, rung, model, trial, fastest);
            if (score < lowest) {
                best = rung;
                lowest = score;
            }
        }
        return best;
    }

    private static double score(
            BlockFamilyEstimates family, int rung, CostModel model, boolean optimistic, double fastest) {
        CostPerByte cost = cost(family, rung, optimistic);
        return rung != 0 && cost.wire() > MAX_USEFUL_RATIO ? Double.MAX_VALUE : model.score(cost, fastest);
    }

    /** Returns the expected cost, or one with the best plausible ratio, given the number of measurements. */
    private static CostPerByte cost(BlockFamilyEstimates family, int rung, boolean optimistic) {
        double uncertainty =
                optimistic && rung != 0 ? RATIO_UNCERTAINTY / Math.sqrt(1 + family.ratio.measurements[rung]) : 0;
        return new CostPerByte(family.compress(rung), family.ratio(rung) * Math.exp(-uncertainty));
    }
}
