package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The selector against every fixed choice, in all situations of the grid, in simulated time. Bounds are on means and quantiles: of some hundred
 * transfers drawn at random the single worst says nothing about the next hundred. They leave about as much room again as the selector needs,
 * so that they hold for any seeds.
 */
class GridTest {
    private static List<GridResult> situations;
    private static List<TransferComparison> transfers;

    @BeforeAll
    static void run() {
        situations = GridResult.all(1, 2, GridResult.MEGABYTES, false);
        transfers = GridResult.races(situations);
    }

    @Test
    void anAdministratorWhoKnewEveryLinkAndItsDataWouldGainNothing() {
        assertAtMost(1.01, GridResult.mean(situations, GridResult::autoOverBest), "mean");
        assertQuantile(0.95, 1.05, situations, GridResult::autoOverBest);
    }

    /** A harder measure: what would have been best is known for each single transfer with its machines and their load. */
    @Test
    void singleTransfersAreCloseToTheirOwnBest() {
        assertAtMost(1.02, GridResult.mean(transfers, TransferComparison::autoOverBest), "mean");
        assertQuantile(0.95, 1.08, transfers, TransferComparison::autoOverBest);
        assertQuantile(0.99, 1.15, transfers, TransferComparison::autoOverBest);
    }

    /** Short transfers have no time to learn; what an earlier one has shown saves almost half of what that costs. */
    @Test
    void whatIsKnownOfTheLinkHelpsShortTransfers() {
        List<TransferComparison> unknown = GridResult.races(GridResult.all(1, 1, 25, false));
        List<TransferComparison> known = GridResult.races(GridResult.all(1, 1, 25, true));
        double lost = GridResult.mean(unknown, TransferComparison::autoOverBest) - 1;
        assertAtMost(0.75 * lost, GridResult.mean(known, TransferComparison::autoOverBest) - 1, "lost in the mean");
    }

    @Test
    void noFixedChoiceComesNearOverTheGrid() {
        double auto = GridResult.mean(situations, GridResult::autoOverBest);
        for (CodecLevel choice : TransferComparison.FIXED) {
            double fixed = GridResult.mean(situations, result -> result.fixedOverBest(choice));
            assertTrue(auto + 0.02 < fixed, choice + ": " + fixed + ", auto: " + auto);
        }
    }

    /** Time is not bought with CPU time that others on these machines would miss. */
    @Test
    void autoNeedsNoMoreProcessorTimeThanTheFastestFixedChoice() {
        double quotient = GridResult.mean(
                transfers, race -> race.auto().cpuSeconds() / race.best().cpuSeconds());
        assertAtMost(1, quotient, "CPU time");
    }

    /** One block in 100 changes the choice for its family in the mean; in mixes of five kinds of data more, and rarely one in 20. */
    @Test
    void autoSettles() {
        int blocks = situations.get(0).situation().blocks();
        assertAtMost(
                blocks / 100.0,
                transfers.stream()
                        .mapToInt(TransferComparison::switches)
                        .average()
                        .orElseThrow(),
                "changes in the mean");
        assertQuantile(0.99, blocks / 20.0, transfers, TransferComparison::switches);
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

    private static void assertAtMost(double most, double actual, String what) {
        assertTrue(actual <= most, what + ": " + actual);
    }
}
