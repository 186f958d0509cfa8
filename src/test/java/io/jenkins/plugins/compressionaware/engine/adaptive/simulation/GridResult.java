package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import java.util.Collection;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Results of several transfers over the same link with the same kind of data, on different machines. A fixed choice applies to all of them,
 * like an administrator's; it cannot follow the machines and their load.
 */
record GridResult(List<TransferComparison> comparisons) {
    /** 500 MB, half of the benchmark's data sets, so that the test stays short. */
    static final int MEGABYTES = 500;

    /**
     * Simulates each scenario of the grid.
     *
     * @param firstSeed of the draws
     * @param draws     transfers per scenario
     * @param megabytes of each transfer
     * @param known     see {@link TransferComparison#run}
     */
    static List<GridResult> all(int firstSeed, int draws, int megabytes, boolean known) {
        int blocks = (int) (megabytes * 1_000_000L / Scenario.BLOCK);
        List<List<Scenario>> grids = IntStream.range(firstSeed, firstSeed + draws)
                .mapToObj(seed -> Grid.scenarios(seed, blocks))
                .toList();
        return IntStream.range(0, grids.get(0).size())
                .parallel()
                .mapToObj(i -> new GridResult(grids.stream()
                        .map(grid -> TransferComparison.run(grid.get(i), known))
                        .toList()))
                .toList();
    }

    /** Returns one of the scenarios, for the properties that all have in common. */
    Scenario scenario() {
        return comparisons.get(0).scenario();
    }

    /** Returns the time of the selector divided by that of the fixed choice with the smallest mean. */
    double autoOverBest() {
        return auto() / best();
    }

    double fixedOverBest(CodecLevel choice) {
        return fixed(choice) / best();
    }

    /** Returns the mean time in seconds. */
    double auto() {
        return mean(comparisons, comparison -> comparison.auto().seconds());
    }

    /** Returns the mean time of the best fixed choice in seconds. */
    double best() {
        return TransferComparison.FIXED.stream().mapToDouble(this::fixed).min().orElseThrow();
    }

    private double fixed(CodecLevel choice) {
        return mean(comparisons, comparison -> comparison.fixed().get(choice).seconds());
    }

    static List<TransferComparison> comparisons(Collection<GridResult> results) {
        return results.stream().flatMap(result -> result.comparisons.stream()).toList();
    }

    /** Returns the geometric mean. */
    static <T> double mean(Collection<T> of, ToDoubleFunction<T> quotient) {
        return Math.exp(of.stream()
                .mapToDouble(one -> Math.log(quotient.applyAsDouble(one)))
                .average()
                .orElseThrow());
    }

    /** Returns the quotient that the given share of all quotients, 0 to 1, does not exceed. */
    static <T> double quantile(Collection<T> of, double share, ToDoubleFunction<T> quotient) {
        double[] sorted = of.stream().mapToDouble(quotient).sorted().toArray();
        return sorted[(int) Math.ceil(share * sorted.length) - 1];
    }

    /** Sorts by quotient, largest first. */
    static <T> Stream<T> worst(Collection<T> of, ToDoubleFunction<T> quotient) {
        return of.stream().sorted((a, b) -> Double.compare(quotient.applyAsDouble(b), quotient.applyAsDouble(a)));
    }
}
