package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import java.util.Collection;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What became of one situation: of several transfers over the same link with the same kind of data, on different machines. A fixed choice is made
 * for the situation, as an administrator would; it cannot follow the machines and their load.
 */
record GridResult(List<TransferComparison> races) {
    /** 500 MB, half of the benchmark's data sets, so that the test stays short. */
    static final int MEGABYTES = 500;

    /**
     * Every situation of the grid.
     *
     * @param firstSeed of the draws
     * @param draws     transfers in each situation
     * @param megabytes of each transfer
     * @param known     see {@link TransferComparison#run}
     */
    static List<GridResult> all(int firstSeed, int draws, int megabytes, boolean known) {
        int blocks = (int) (megabytes * 1_000_000L / Scenario.BLOCK);
        List<List<Scenario>> grids = IntStream.range(firstSeed, firstSeed + draws)
                .mapToObj(seed -> Grid.situations(seed, blocks))
                .toList();
        return IntStream.range(0, grids.get(0).size())
                .parallel()
                .mapToObj(i -> new GridResult(grids.stream()
                        .map(grid -> TransferComparison.run(grid.get(i), known))
                        .toList()))
                .toList();
    }

    /** Of any of the transfers, for what they have in common. */
    Scenario situation() {
        return races.get(0).situation();
    }

    /** Time of the selector over that of the fixed choice with the smallest mean. */
    double autoOverBest() {
        return auto() / best();
    }

    double fixedOverBest(CodecLevel choice) {
        return fixed(choice) / best();
    }

    /** Seconds. */
    double auto() {
        return mean(races, race -> race.auto().seconds());
    }

    /** Seconds. */
    double best() {
        return TransferComparison.FIXED.stream().mapToDouble(this::fixed).min().orElseThrow();
    }

    private double fixed(CodecLevel choice) {
        return mean(races, race -> race.fixed().get(choice).seconds());
    }

    static List<TransferComparison> races(Collection<GridResult> results) {
        return results.stream().flatMap(result -> result.races.stream()).toList();
    }

    /** Geometric. */
    static <T> double mean(Collection<T> of, ToDoubleFunction<T> quotient) {
        return Math.exp(of.stream()
                .mapToDouble(one -> Math.log(quotient.applyAsDouble(one)))
                .average()
                .orElseThrow());
    }

    /** What that share of them, 0 to 1, does not exceed. */
    static <T> double quantile(Collection<T> of, double share, ToDoubleFunction<T> quotient) {
        double[] sorted = of.stream().mapToDouble(quotient).sorted().toArray();
        return sorted[(int) Math.ceil(share * sorted.length) - 1];
    }

    /** The worst first. */
    static <T> Stream<T> worst(Collection<T> of, ToDoubleFunction<T> quotient) {
        return of.stream().sorted((a, b) -> Double.compare(quotient.applyAsDouble(b), quotient.applyAsDouble(a)));
    }
}
