package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Compares the selector with each fixed choice, in all scenarios of the grid, in simulated time. Bounds are on means and quantiles, because the worst of some
 * hundred random transfers says nothing about the next hundred. Their margins are about as large as the selector's deviations, so that they hold for any seed.
 */
class GridTest {
    private static List<GridResult> scenarios;
    private static List<TransferComparison> transfers;

    @BeforeAll
    static void run() {
        scenarios = GridResult.all(1, 2, GridResult.MEGABYTES, false);
        transfers = GridResult.comparisons(scenarios);
    }

    @Test
    void autoEqualsBestFixedChoiceOfEachScenario() {
        assertAtMost(1.01, GridResult.mean(scenarios, GridResult::autoOverBest), "mean");
        assertQuantile(0.95, 1.05, scenarios, GridResult::autoOverBest);
    }

    /** The best choice of a single transfer fits its machines and their load, so this bound is harder. */
    @Test
    void autoIsCloseToBestFixedChoiceOfEachTransfer() {
        assertAtMost(1.02, GridResult.mean(transfers, TransferComparison::autoOverBest), "mean");
        assertQuantile(0.95, 1.08, transfers, TransferComparison::autoOverBest);
        assertQuantile(0.99, 1.15, transfers, TransferComparison::autoOverBest);
    }

    /** The rate of an earlier transfer saves a short one almost half of its losses. */
    @Test
    void knownLinkRateHelpsShortTransfers() {
        List<TransferComparison> unknown = GridResult.comparisons(GridResult.all(1, 1, 25, false));
        List<TransferComparison> known = GridResult.comparisons(GridResult.all(1, 1, 25, true));
        double lost = GridResult.mean(unknown, TransferComparison::autoOverBest) - 1;
        assertAtMost(0.75 * lost, GridResult.mean(known, TransferComparison::autoOverBest) - 1, "lost in the mean");
    }

    @Test
    void autoBeatsEachFixedChoiceOverGrid() {
        double auto = GridResult.mean(scenarios, GridResult::autoOverBest);
        for (CodecLevel choice : TransferComparison.FIXED) {
            double fixed = GridResult.mean(scenarios, result -> result.fixedOverBest(choice));
            assertTrue(auto + 0.02 < fixed, choice + ": " + fixed + ", auto: " + auto);
        }
    }

    /** Saved time must not cost CPU time that other work on these machines needs. */
    @Test
    void autoNeedsNoMoreCpuTimeThanFastestFixedChoice() {
        double quotient = GridResult.mean(
                transfers,
                comparison -> comparison.auto().cpuSeconds() / comparison.best().cpuSeconds());
        assertAtMost(1, quotient, "CPU time");
    }

    private static <T> void assertQuantile(double share, double most, List<T> of, ToDoubleFunction<T> quotient) {
        assertTrue(
                GridResult.quantile(of, share, quotient) <= most,
                () -> "more than " + most + " in more than 1 - " + share + " of " + of.size() + ":\n"
                        + GridResult.worst(of, quotient)
                                .limit(20)
                                .map(Object::toString)
                                .collect(Collectors.joining("\n")));
    }

    private static void assertAtMost(double most, double actual, String name) {
        assertTrue(actual <= most, name + ": " + actual);
    }
}
