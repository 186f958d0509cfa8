package io.jenkins.plugins.compressionaware.adapt;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * What became of one situation.
 *
 * @param fixed seconds with each of {@link SimData#CHOICES}
 * @param auto  seconds with the selector
 */
record GridResult(Situation situation, double[] fixed, double auto, int switches, String explanation) {
    static List<GridResult> all(long seed) {
        return Grid.situations(seed).stream().map(GridResult::of).toList();
    }

    static GridResult of(Situation situation) {
        double[] fixed = new double[SimData.CHOICES.size()];
        for (int i = 0; i < fixed.length; i++) {
            fixed[i] = Simulation.run(situation, Strategy.fixed(i)).seconds();
        }
        Strategy.Auto auto = new Strategy.Auto(situation);
        double seconds = Simulation.run(situation, auto).seconds();
        AutoReport report = auto.selector.report();
        return new GridResult(situation, fixed, seconds, report.switches(), report.describe());
    }

    double best() {
        return Arrays.stream(fixed).min().orElseThrow();
    }

    Choice bestChoice() {
        int best = 0;
        for (int i = 1; i < fixed.length; i++) {
            best = fixed[i] < fixed[best] ? i : best;
        }
        return SimData.CHOICES.get(best);
    }

    double autoOverBest() {
        return auto / best();
    }

    double fixedOverBest(int choice) {
        return fixed[choice] / best();
    }

    /** Geometric. */
    static double mean(List<GridResult> results, ToDoubleFunction<GridResult> quotient) {
        return Math.exp(results.stream()
                .mapToDouble(result -> Math.log(quotient.applyAsDouble(result)))
                .average()
                .orElseThrow());
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%.3f times the best (%s, %.3f s), %d changes: %s | %s",
                autoOverBest(),
                bestChoice(),
                best(),
                switches,
                situation,
                explanation);
    }
}
