package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.adaptive.simulation.LaneGrid.Direction;
import io.jenkins.plugins.compressionaware.engine.adaptive.simulation.LaneGrid.Kind;
import io.jenkins.plugins.compressionaware.engine.adaptive.simulation.LaneGrid.Row;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Bounds the time of transfers that use both ways, over the better way alone. */
class LaneGridTest {
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SLOW_CHANNEL")
    void bothWaysAreAsFastAsTheBetterOne(Kind kind) {
        List<Row> rows = LaneGrid.rows(Direction.UPLOAD, kind, 100_000_000, 1);
        assertTrue(LaneGrid.mean(rows, Row::balancedOverBest) < 1.005, () -> worst(rows, Row::balancedOverBest));
        assertTrue(LaneGrid.most(rows, Row::balancedOverBest) < 1.05, () -> worst(rows, Row::balancedOverBest));
        assertTrue(LaneGrid.most(rows, Row::sent) < 1.04, () -> worst(rows, Row::sent));
    }

    /** The bound of a slow channel is wide, because the ranges that its streams have requested first delay all later ones. */
    @ParameterizedTest
    @CsvSource({
        "ONE_LINE, 1.06",
        "DELAY_OF_1_S, 1.02",
        "FIVE_REQUESTS_PER_SECOND, 1.03",
        "REFUSED_CONTENT, 1.02",
        "SLOW_CHANNEL, 1.45"
    })
    void downloadsAreNeverMuchSlowerThanTheBetterWay(Kind kind, double bound) {
        List<Row> rows = LaneGrid.rows(Direction.DOWNLOAD, kind, 100_000_000, 1);
        assertTrue(LaneGrid.mean(rows, Row::balancedOverBest) < 1.01, () -> worst(rows, Row::balancedOverBest));
        assertTrue(LaneGrid.most(rows, Row::balancedOverBest) < bound, () -> worst(rows, Row::balancedOverBest));
        assertTrue(LaneGrid.most(rows, Row::sent) < 1.06, () -> worst(rows, Row::sent));
    }

    private static String worst(List<Row> rows, ToDoubleFunction<Row> value) {
        return rows.stream()
                .max(Comparator.comparingDouble(value))
                .orElseThrow()
                .toString();
    }
}
