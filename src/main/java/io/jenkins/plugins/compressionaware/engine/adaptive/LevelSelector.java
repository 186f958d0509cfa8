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
            fastest = Math.min(fastest, model.time(cost(family, rung, false)));
        }
        if (family.current < 0) {
            family.current = best(family, model, fastest, rungs[0], 0, false);
        }
        int better = best(family, model, fastest, family.current, SWITCH_THRESHOLD, false);
        if (better != family.current) {
            family.current = better;
            family.trialGap = BlockFamilyEstimates.FIRST_TRIAL;
        }
        if (++family.sinceTrial < family.trialGap) {
            return family.current;
        }
        family.sinceTrial = 0;
        family.trialGap = Math.min(MAX_TRIAL_GAP_BLOCKS, 2 * family.trialGap);
        return best(family, model, fastest, family.current, SWITCH_THRESHOLD, true);
    }

    /** Returns the best of the rungs that gain more than {@code threshold} over {@code start}; {@code start} if there are none. */
    private int best(
            BlockFamilyEstimates family,
            CostModel model,
            double fastest,
            int start,
            double threshold,
            boolean optimistic) {
        int best = start;
        double lowest = score(family, start, model, false, fastest) - threshold;
        for (int rung : rungs) {
            double score = score(family, rung, model, optimistic, fastest);
            if (rung != start && score < lowest) {
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

    /** Returns the expected cost, or the lowest plausible one, given the number of measurements. */
    private static CostPerByte cost(BlockFamilyEstimates family, int rung, boolean optimistic) {
        double uncertainty = optimistic ? 1 / Math.sqrt(1 + family.time.measurements[rung]) : 0;
        return new CostPerByte(
                family.compress(rung) * Math.exp(-TIME_UNCERTAINTY * uncertainty),
                family.ratio(rung) * (rung == 0 ? 1 : Math.exp(-RATIO_UNCERTAINTY * uncertainty)),
                family.contentClass.decode[rung]);
    }
}
