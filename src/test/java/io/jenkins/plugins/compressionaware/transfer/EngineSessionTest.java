package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneReport;
import io.jenkins.plugins.compressionaware.engine.http.LaneFailure;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

class EngineSessionTest {
    private static final long BYTES = 10_000_000;

    /** @param connections of a direct lane; 0 for streams only */
    private static SendReport sent(long writeNanos, int connections) {
        DirectLaneReport direct = new DirectLaneReport(
                "", connections, BYTES, null, new LaneFailure[0], DirectLaneReport.Outcome.WORKED, 1, 0);
        return new SendReport(
                new Figures(1, 1, 0, 1, 1, writeNanos, 0, 0, -1),
                new ArrayList<>(),
                true,
                null,
                1,
                connections == 0 ? null : direct);
    }

    @Test
    void timeOfLanesIsSharedByAllBytes() {
        assertEquals(2, EngineSession.laneNanosPerByte(sent(6 * BYTES, 3), 1, BYTES, 9 * BYTES));
        double streams = 4.0 * BYTES / 2 / (BYTES - (2 << 20));
        assertEquals(streams, EngineSession.laneNanosPerByte(sent(4 * BYTES, 0), 2, BYTES, 9 * BYTES));
        assertEquals(Double.NaN, EngineSession.laneNanosPerByte(sent(BYTES, 1), 1, 1_000_000, BYTES));
    }

    /** Direct lanes may rest for most of a transfer. */
    @Test
    void lanesCountByTheirBytes() {
        assertEquals(2, EngineSession.laneNanosPerByte(sent(4 * 2 * BYTES, 3), 1, 2 * BYTES, 18 * BYTES));
    }

    /** The claimed bytes do not count, and neither do more connections or time than there were. */
    @Test
    void claimsOfAnAgentAreLimited() {
        assertEquals(9, EngineSession.laneNanosPerByte(sent(Long.MAX_VALUE, 3), 1, BYTES, 9 * BYTES));
        assertEquals(0.6, EngineSession.laneNanosPerByte(sent(6 * BYTES, Integer.MAX_VALUE), 1, BYTES, 9 * BYTES));
    }
}
