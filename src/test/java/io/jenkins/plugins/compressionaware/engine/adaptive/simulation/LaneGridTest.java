package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.adaptive.simulation.LaneGrid.Kind;
import io.jenkins.plugins.compressionaware.engine.adaptive.simulation.LaneGrid.Row;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bounds the time of transfers that use both ways, over the better way alone. */
class LaneGridTest {
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SLOW_CHANNEL")
    void bothWaysAreAsFastAsTheBetterOne(Kind kind) {
        List<Row> rows = LaneGrid.rows(kind, 100_000_000, 1);
        assertTrue(LaneGrid.mean(rows, Row::balancedOverBest) < 1.02, () -> worst(rows, Row::balancedOverBest));
        assertTrue(LaneGrid.most(rows, Row::balancedOverBest) < 1.15, () -> worst(rows, Row::balancedOverBest));
        assertTrue(LaneGrid.most(rows, Row::sent) < 1.03, () -> worst(rows, Row::sent));
    }

    private static String worst(List<Row> rows, ToDoubleFunction<Row> value) {
        return rows.stream()
                .max(Comparator.comparingDouble(value))
                .orElseThrow()
                .toString();
    }
}
