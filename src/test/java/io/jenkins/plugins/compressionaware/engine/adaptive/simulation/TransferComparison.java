package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One transfer within the default bounds, by the selector and with each fixed choice.
 *
 * @param fixed one result for each of {@link #FIXED}
 */
record TransferComparison(Scenario scenario, Simulation.Result auto, Map<CodecLevel, Simulation.Result> fixed) {
    /** The default of the setting {@code maxLevel}. */
    static final int MAX_LEVEL = 9;

    /** The choices that a user could fix. */
    static final List<CodecLevel> FIXED = SimData.CHOICES.stream()
            .filter(choice -> choice.level() <= MAX_LEVEL)
            .toList();

    /**
     * Simulates one transfer.
     *
     * @param known whether the selector gets the rate that an earlier transfer measured
     */
    static TransferComparison run(Scenario scenario, boolean known) {
        ChoiceStrategy.Auto auto = new ChoiceStrategy.Auto(scenario, MAX_LEVEL);
        Simulation.Result result = Simulation.run(scenario, auto);
        if (known) {
            auto = new ChoiceStrategy.Auto(scenario, MAX_LEVEL);
            auto.selector.link(result.seconds() * 1e9 / result.wireBytes());
            result = Simulation.run(scenario, auto);
        }
        Map<CodecLevel, Simulation.Result> fixed = new LinkedHashMap<>();
        FIXED.forEach(choice -> fixed.put(choice, Simulation.run(scenario, ChoiceStrategy.fixed(choice))));
        return new TransferComparison(scenario, result, fixed);
    }

    /** Returns the result of the fastest fixed choice for this transfer. */
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
                Locale.ROOT, "%.3f times the best of %.3f s: %s", autoOverBest(), best().seconds(), scenario);
    }
}
