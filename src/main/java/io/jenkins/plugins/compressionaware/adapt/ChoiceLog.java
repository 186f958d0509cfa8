package io.jenkins.plugins.compressionaware.adapt;

import io.jenkins.plugins.compressionaware.adapt.Reason.Limit;

/** Explains the choices: which stage was the slowest, and for how many bytes. */
final class ChoiceLog {
    private static final Limit[] STAGES = Limit.values();

    /** For each stage, the bytes for which it was the slowest, and the nanoseconds that it was expected to take for them. */
    private final double[] bytes = new double[STAGES.length];

    private final double[] nanos = new double[STAGES.length];
    private int switches;

    void chosen(CostModel model, CostPerByte cost, int rawLength, boolean switched) {
        switches += switched ? 1 : 0;
        Limit stage = model.slowest(cost);
        // a lane's rate is reported in wire bytes, which its owner can compare
        bytes[stage.ordinal()] += stage == Limit.LINK ? rawLength * cost.wire() : rawLength;
        nanos[stage.ordinal()] += rawLength * model.time(cost);
    }

    int switches() {
        return switches;
    }

    Reason reason(boolean limitedByRoundTrip) {
        int most = 0;
        for (int i = 1; i < STAGES.length; i++) {
            most = nanos[i] > nanos[most] ? i : most;
        }
        if (nanos[most] == 0) {
            return new Reason(Limit.NOTHING_MEASURED);
        }
        boolean roundTrip = STAGES[most] == Limit.LINK && limitedByRoundTrip;
        return new Reason(roundTrip ? Limit.ROUND_TRIP : STAGES[most], bytes[most] / nanos[most] * 1e9);
    }
}
