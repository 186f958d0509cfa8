package io.jenkins.plugins.compressionaware.engine.adaptive;

/**
 * Picks the rung for the next block of a family: the best by the cost model, except that a small gain does not replace the rung in use. An
 * occasional trial block measures a rung that may be better than estimated.
 */
final class LevelSelector {
    /** Minimum gain for leaving a rung: 1 %. zstd --adapt uses 3 to 12 %. */
    private static final double SWITCH_THRESHOLD = 0.01;

    /** Uncertainty of the time of an unmeasured rung, as a logarithm. Falls with the square root of the number of measurements. */
    private static final double TIME_UNCERTAINTY = 0.25;

    /** Uncertainty of the ratio of an unmeasured rung. Falls like {@link #TIME_UNCERTAINTY}. */
    private static final double RATIO_UNCERTAINTY = 0.08;

    /** A codec that saves less than 1.5 % is not used: estimates are no more precise, and noise should stay uncompressed. */
    private static final double MAX_USEFUL_RATIO = 0.985;

    /** Maximum number of blocks between trials. Each trial that changes nothing doubles the gap. */
    private static final int MAX_TRIAL_GAP_BLOCKS = 64;

    private final int[] rungs;

    LevelSelector(int[] rungs) {
        this.rungs = rungs;
    }

    int choose(BlockFamilyEstimates family, CostModel model) {
        double fastest = Double.MAX_VALUE;
        for (int rung : rungs) {
            fastest = Math.min(fastest, model.time(expected(family, rung)));
        }
        int best = rungs[0];
        for (int rung : rungs) {
            if (score(family, rung, model, false, fastest) < score(family, best, model, false, fastest)) {
                best = rung;
            }
        }
        updateCurrent(family, best, model, fastest);
        return trial(family, model, fastest);
    }

    private static void updateCurrent(BlockFamilyEstimates family, int best, CostModel model, double fastest) {
        if (family.current < 0) {
            family.current = best;
            return;
        }
        double gain = score(family, family.current, model, false, fastest) - score(family, best, model, false, fastest);
        if (gain > SWITCH_THRESHOLD) {
            family.current = best;
            family.trialGap = BlockFamilyEstimates.FIRST_TRIAL;
        }
    }

    private int trial(BlockFamilyEstimates family, CostModel model, double fastest) {
        if (++family.sinceTrial < family.trialGap) {
            return family.current;
        }
        family.sinceTrial = 0;
        family.trialGap = Math.min(MAX_TRIAL_GAP_BLOCKS, 2 * family.trialGap);
        int promising = family.current;
        double best = score(family, family.current, model, false, fastest) - SWITCH_THRESHOLD;
        for (int rung : rungs) {
            double optimistic = score(family, rung, model, true, fastest);
            if (rung != family.current && optimistic < best) {
                promising = rung;
                best = optimistic;
            }
        }
        return promising;
    }

    private static double score(
            BlockFamilyEstimates family, int rung, CostModel model, boolean optimistic, double fastest) {
        CostPerByte cost = optimistic ? optimisticCost(family, rung) : expected(family, rung);
        return rung != 0 && cost.wire() > MAX_USEFUL_RATIO ? Double.MAX_VALUE : model.score(cost, fastest);
    }

    static CostPerByte expected(BlockFamilyEstimates family, int rung) {
        return new CostPerByte(family.compress(rung), family.ratio(rung), family.decode(rung));
    }

    /** Returns the lowest plausible cost, given the number of measurements. */
    private static CostPerByte optimisticCost(BlockFamilyEstimates family, int rung) {
        double uncertainty = 1 / Math.sqrt(1 + family.measurements(rung));
        return new CostPerByte(
                family.compress(rung) * Math.exp(-TIME_UNCERTAINTY * uncertainty),
                family.ratio(rung) * (rung == 0 ? 1 : Math.exp(-RATIO_UNCERTAINTY * uncertainty)),
                family.decode(rung));
    }
}
