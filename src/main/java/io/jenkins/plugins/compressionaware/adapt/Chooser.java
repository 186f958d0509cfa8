package io.jenkins.plugins.compressionaware.adapt;

/**
 * Picks a rung for the next block of a class: the best by the cost model, with some loyalty to the one in use, and now and then a trial
 * of one that could be better than it is thought to be.
 */
final class Chooser {
    /** A rung is left for one that is better by this much (1 %), times the class's share in the mix. zstd --adapt uses 3 to 12 %. */
    private static final double LOYALTY = 0.01;

    /** Within this many blocks after a change only a gain of {@link #PLAIN} leads to the next. */
    private static final int DWELL = 6;

    private static final double PLAIN = 0.25;

    /** Every change so adds {@link #LOYALTY} once more to what the next one must gain; after 100 blocks a third of that is left. */
    private static final double CALMING = 0.99;

    /** Doubt about the time of a rung that was never measured, as a logarithm; it falls with the root of the measurements. */
    private static final double TIME_DOUBT = 0.25;

    /** Doubt about the ratio of a rung, likewise. */
    private static final double RATIO_DOUBT = 0.08;

    /** A codec that saves less than 1.5 % is not worth any work: estimates are no better than that. */
    private static final double USELESS = 0.985;

    /** Blocks between trials at most. Each trial that changes nothing doubles the gap. */
    private static final int LONGEST_GAP = 64;

    private final int[] rungs;

    Chooser(int[] rungs) {
        this.rungs = rungs;
    }

    /** What is known and who else is on the way. */
    record Situation(CostModel model, double share, Load others) {
        Load with(Load own) {
            return others.plus(share, own);
        }
    }

    /** The rung for the next block of the class. */
    int choose(ClassState state, Situation situation, Controller controller) {
        double fastest = Double.MAX_VALUE;
        for (int rung : rungs) {
            fastest = Math.min(fastest, situation.model.time(situation.with(load(state, rung, controller, 0))));
        }
        int best = rungs[0];
        for (int rung : rungs) {
            if (score(state, rung, situation, controller, 0, fastest)
                    < score(state, best, situation, controller, 0, fastest)) {
                best = rung;
            }
        }
        settle(state, best, situation, controller, fastest);
        return trial(state, situation, controller, fastest);
    }

    private void settle(ClassState state, int best, Situation situation, Controller controller, double fastest) {
        state.sinceSwitch++;
        if (state.current < 0) {
            state.current = best;
            return;
        }
        double gain = score(state, state.current, situation, controller, 0, fastest)
                - score(state, best, situation, controller, 0, fastest);
        double needed = (state.sinceSwitch <= DWELL ? PLAIN : LOYALTY * (1 + state.restless)) * situation.share;
        state.restless *= CALMING;
        if (best != state.current && gain > needed) {
            state.restless++;
            state.current = best;
            state.sinceSwitch = 0;
            state.trialGap = ClassState.FIRST_TRIAL;
        }
    }

    private int trial(ClassState state, Situation situation, Controller controller, double fastest) {
        if (++state.sinceTrial < state.trialGap) {
            return state.current;
        }
        state.sinceTrial = 0;
        state.trialGap = Math.min(LONGEST_GAP, 2 * state.trialGap);
        int promising = state.current;
        double best = score(state, state.current, situation, controller, 0, fastest) - LOYALTY * situation.share;
        for (int rung : rungs) {
            double hoped = score(state, rung, situation, controller, 1, fastest);
            if (rung != state.current && hoped < best) {
                promising = rung;
                best = hoped;
            }
        }
        return promising;
    }

    private double score(
            ClassState state, int rung, Situation situation, Controller controller, double hope, double fastest) {
        Load load = load(state, rung, controller, hope);
        return rung != 0 && load.wire() > USELESS
                ? Double.MAX_VALUE
                : situation.model.score(situation.with(load), fastest);
    }

    /**
     * @param hope 0 for what is expected, 1 for what may be hoped for, given how little is known
     */
    static Load load(ClassState state, int rung, Controller controller, double hope) {
        double doubt = hope == 0 ? 0 : hope / Math.sqrt(1 + state.measurements(rung));
        double compress = state.compress(rung);
        double ratio = state.ratio(rung);
        if (doubt > 0) {
            compress *= Math.exp(-TIME_DOUBT * doubt);
            ratio *= rung == 0 ? 1 : Math.exp(-RATIO_DOUBT * doubt);
        }
        double decode = state.decode(rung);
        return new Load(compress, ratio, controller.cost(decode, rung), decode);
    }
}
