package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One transfer, made by the selector within the default bounds and with each fixed choice within them.
 *
 * @param fixed    one for each of {@link #FIXED}
 * @param switches changes of a choice by the selector
 */
record TransferComparison(
        Scenario situation, Simulation.Result auto, Map<CodecLevel, Simulation.Result> fixed, int switches) {
    /** The default of the setting {@code maxLevel}. */
    static final int MAX_LEVEL = 9;

    /** What a user could fix. */
    static final List<CodecLevel> FIXED = SimData.CHOICES.stream()
            .filter(choice -> choice.level() <= MAX_LEVEL)
            .toList();

    /** @param known whether the selector knows what a wire byte took in an earlier transfer */
    static TransferComparison run(Scenario situation, boolean known) {
        ChoiceStrategy.Auto auto = new ChoiceStrategy.Auto(situation, MAX_LEVEL);
        Simulation.Result result = Simulation.run(situation, auto);
        if (known) {
            auto = new ChoiceStrategy.Auto(situation, MAX_LEVEL);
            auto.selector.link(result.seconds() * 1e9 / result.wireBytes());
            result = Simulation.run(situation, auto);
        }
        Map<CodecLevel, Simulation.Result> fixed = new LinkedHashMap<>();
        FIXED.forEach(choice -> fixed.put(choice, Simulation.run(situation, ChoiceStrategy.fixed(choice))));
        return new TransferComparison(situation, result, fixed, auto.selector.changeCount());
    }

    /** With the fixed choice that was fastest just here, which nobody knows before. */
    Simulation.Result best() {
        return fixed.values().stream()
                .min(Comparator.comparingDouble(Simulation.Result::seconds))
                .orElseThrow();
    }

    double autoOverBest() {
        return auto.seconds() / best().seconds();
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "%.3f times the best of %.3f s: %s", autoOverBest(), best().seconds(), situation);
    }
}
