package io.jenkins.plugins.compressionaware.adapt;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * What became of one situation: of several transfers over the same link with the same kind of data, on different machines. A fixed choice is made
 * for the situation, as an administrator would; it cannot follow the machines and their load.
 *
 * @param transfers one draw each
 * @param fixed     seconds with each of {@link SimData#CHOICES}, geometric mean over the transfers
 * @param auto      seconds with the selector, likewise
 * @param worst     the selector's time over that of the best fixed choice in the transfer where that is highest
 * @param switches  most changes in a transfer
 */
record GridResult(List<Situation> transfers, double[] fixed, double auto, double worst, int switches) {
    static List<GridResult> all() {
        List<List<Situation>> draws = new ArrayList<>();
        for (int seed = 1; seed <= Grid.DRAWS; seed++) {
            draws.add(Grid.situations(seed));
        }
        return IntStream.range(0, draws.get(0).size())
                .parallel()
                .mapToObj(i -> of(draws.stream().map(draw -> draw.get(i)).toList()))
                .toList();
    }

    static GridResult of(List<Situation> transfers) {
        double[] fixed = new double[SimData.CHOICES.size()];
        double auto = 0;
        double worst = 0;
        int switches = 0;
        for (Situation transfer : transfers) {
            double best = Double.MAX_VALUE;
            for (int i = 0; i < fixed.length; i++) {
                double seconds = Simulation.run(transfer, Strategy.fixed(i)).seconds();
                fixed[i] += Math.log(seconds) / transfers.size();
                best = Math.min(best, seconds);
            }
            Strategy.Auto strategy = new Strategy.Auto(transfer);
            double seconds = Simulation.run(transfer, strategy).seconds();
            auto += Math.log(seconds) / transfers.size();
            worst = Math.max(worst, seconds / best);
            switches = Math.max(switches, strategy.selector.report().switches());
        }
        return new GridResult(
                transfers, Arrays.stream(fixed).map(Math::exp).toArray(), Math.exp(auto), worst, switches);
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
                "%.3f times the best (%s, %.3f s), %d changes: %s",
                autoOverBest(),
                bestChoice(),
                best(),
                switches,
                transfers);
    }
}
