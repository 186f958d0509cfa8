package io.jenkins.plugins.compressionaware.engine.adaptive;

/**
 * Picks a rung for the next block of a family: the best by the cost model, with some loyalty to the one in use, and an occasional trial
 * of one that could be better than estimated.
 */
final class Chooser {
    /** A rung is left only for one that is better by more than this (1 %). zstd --adapt uses 3 to 12 %. */
    private static final double LOYALTY = 0.01;

    /** Doubt about the time of a rung that was never measured, as a logarithm; it falls with the square root of the number of measurements. */
    private static final double TIME_DOUBT = 0.25;

    /** Doubt about the ratio of a rung, likewise. */
    private static final double RATIO_DOUBT = 0.08;

    /** A codec that saves less than 1.5 % is not worth any work: estimates are no more precise, and noise should be stored. */
    private static final double USELESS = 0.985;

    /** Most blocks between trials. Each trial that changes nothing doubles the gap. */
    private static final int LONGEST_GAP = 64;

    private final int[] rungs;

    Chooser(int[] rungs) {
        this.rungs = rungs;
    }

    /** The rung for the next block of the family. */
    int choose(FamilyEstimates family, CostModel model) {
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
        settle(family, best, model, fastest);
        return trial(family, model, fastest);
    }

    private static void settle(FamilyEstimates family, int best, CostModel model, double fastest) {
        if (family.current < 0) {
            family.current = best;
            return;
        }
        double gain = score(family, family.current, model, false, fastest) - score(family, best, model, false, fastest);
        if (gain > LOYALTY) {
            family.current = best;
            family.trialGap = FamilyEstimates.FIRST_TRIAL;
        }
    }

    private int trial(FamilyEstimates family, CostModel model, double fastest) {
        if (++family.sinceTrial < family.trialGap) {
            return family.current;
        }
        family.sinceTrial = 0;
        family.trialGap = Math.min(LONGEST_GAP, 2 * family.trialGap);
        int promising = family.current;
        double best = score(family, family.current, model, false, fastest) - LOYALTY;
        for (int rung : rungs) {
            double hoped = score(family, rung, model, true, fastest);
            if (rung != family.current && hoped < best) {
                promising = rung;
                best = hoped;
            }
        }
        return promising;
    }

    private static double score(FamilyEstimates family, int rung, CostModel model, boolean hope, double fastest) {
        CostPerByte cost = hope ? hoped(family, rung) : expected(family, rung);
        return rung != 0 && cost.wire() > USELESS ? Double.MAX_VALUE : model.score(cost, fastest);
    }

    static CostPerByte expected(FamilyEstimates family, int rung) {
        return new CostPerByte(family.compress(rung), family.ratio(rung), family.decode(rung));
    }

    /** The most that can be hoped for, given how little is known. */
    private static CostPerByte hoped(FamilyEstimates family, int rung) {
        double doubt = 1 / Math.sqrt(1 + family.measurements(rung));
        return new CostPerByte(
                family.compress(rung) * Math.exp(-TIME_DOUBT * doubt),
                family.ratio(rung) * (rung == 0 ? 1 : Math.exp(-RATIO_DOUBT * doubt)),
                family.decode(rung));
    }
}
