package io.jenkins.plugins.compressionaware.adapt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The selector against every fixed choice, in all situations of the grid, in simulated time. */
class GridTest {
    private static List<GridResult> results;

    @BeforeAll
    static void run() {
        results = GridResult.all();
    }

    @Test
    void coversAtLeast200Situations() {
        assertTrue(results.size() >= 200, "situations: " + results.size());
    }

    @Test
    void autoIsWithinTenPerCentOfTheBestFixedChoiceInEverySituation() {
        List<GridResult> worse =
                results.stream().filter(result -> result.autoOverBest() > 1.10).toList();
        assertEquals(List.of(), worse);
    }

    /** Neither is any single transfer, on whatever machines, far from what would have been best just there. */
    @Test
    void noTransferIsFarFromItsOwnBest() {
        List<GridResult> worse =
                results.stream().filter(result -> result.worst() > 1.25).toList();
        assertEquals(List.of(), worse);
    }

    @Test
    void autoBeatsEveryFixedChoiceOverTheGrid() {
        double auto = GridResult.mean(results, GridResult::autoOverBest);
        for (int i = 0; i < SimData.CHOICES.size(); i++) {
            int choice = i;
            double fixed = GridResult.mean(results, result -> result.fixedOverBest(choice));
            assertTrue(auto < fixed, SimData.CHOICES.get(i) + ": " + fixed + ", auto: " + auto);
        }
    }

    /** Even in mixes of five kinds a block in 15 at most changes the choice for its class; in the mean of situations one in 100. */
    @Test
    void autoSettles() {
        int blocks = Grid.BLOCKS;
        for (GridResult result : results) {
            assertTrue(result.switches() <= blocks / 15, result.toString());
        }
        double average =
                results.stream().mapToInt(GridResult::switches).average().orElseThrow();
        assertTrue(average <= blocks / 100.0, "changes on average: " + average);
    }
}
