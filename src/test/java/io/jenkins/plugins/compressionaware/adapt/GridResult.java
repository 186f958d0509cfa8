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
 * @param single    the selector's time over that of the best fixed choice in each single transfer
 * @param switches  most changes in a transfer
 */
record GridResult(List<Situation> transfers, double[] fixed, double auto, double[] single, int switches) {
    static List<GridResult> all() {
        return all(Grid.BLOCKS, Grid.DRAWS);
    }

    /**
     * @param blocks    length of each transfer
     * @param transfers in each situation
     */
    static List<GridResult> all(int blocks, int transfers) {
        List<List<Situation>> draws = new ArrayList<>();
        for (int seed = 1; seed <= transfers; seed++) {
            draws.add(Grid.situations(seed, blocks));
        }
        return IntStream.range(0, draws.get(0).size())
                .parallel()
                .mapToObj(i -> of(draws.stream().map(draw -> draw.get(i)).toList()))
                .toList();
    }

    static GridResult of(List<Situation> transfers) {
        double[] fixed = new double[SimData.CHOICES.size()];
        double auto = 0;
        double[] single = new double[transfers.size()];
        int switches = 0;
        for (int draw = 0; draw < single.length; draw++) {
            Situation transfer = transfers.get(draw);
            double best = Double.MAX_VALUE;
            for (int i = 0; i < fixed.length; i++) {
                double seconds = Simulation.run(transfer, Strategy.fixed(i)).seconds();
                fixed[i] += Math.log(seconds) / transfers.size();
                best = Math.min(best, seconds);
            }
            Strategy.Auto strategy = new Strategy.Auto(transfer);
            double seconds = Simulation.run(transfer, strategy).seconds();
            auto += Math.log(seconds) / transfers.size();
            single[draw] = seconds / best;
            switches = Math.max(switches, strategy.selector.report().switches());
        }
        return new GridResult(
                transfers, Arrays.stream(fixed).map(Math::exp).toArray(), Math.exp(auto), single, switches);
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

    double worst() {
        return Arrays.stream(single).max().orElseThrow();
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
