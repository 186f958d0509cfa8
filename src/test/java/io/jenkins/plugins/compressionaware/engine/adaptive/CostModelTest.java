package io.jenkins.plugins.compressionaware.engine.adaptive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class CostModelTest {
    private final CostModel model = new CostModel(1, 10, 5, 2, 0);

    @Test
    void slowestStageDeterminesTime() {
        assertEquals(5, model.time(new CostPerByte(4, 0.5, 1)));
        assertEquals(6, model.time(new CostPerByte(12, 0.1, 1)));
        assertEquals(1, model.time(new CostPerByte(1, 0.01, 1)));
    }

    @Test
    void sharedProcessorsCountAsStage() {
        CostModel shared = new CostModel(1, 1, 5, 2, 2);
        CostPerByte uncompressed = new CostPerByte(0, 1, 0);
        assertEquals((1 + 5 + 1) / 2.0, shared.time(uncompressed));
        assertTrue(
                shared.time(new CostPerByte(2.5, 0.25, 1)) < shared.time(uncompressed),
                "fewer wire bytes take less CPU time");
    }

    @Test
    void cheaperOfEquallyFastChoicesWins() {
        double base = score(4, 0.5, 1);
        assertTrue(score(3, 0.5, 1) < base, "less to compress");
        assertTrue(score(4, 0.5, 0.5) < base, "less to decode");
        CostModel fastLane = new CostModel(1, 1, 5, 2, 0);
        assertTrue(
                fastLane.score(new CostPerByte(4, 0.4, 1), 9) < fastLane.score(new CostPerByte(4, 0.5, 1), 9),
                "less to send");
    }

    @Test
    void clearlyFasterChoiceWinsDespiteItsCosts() {
        assertTrue(model.score(new CostPerByte(8, 0.4, 2), 4) < model.score(new CostPerByte(0, 0.5, 0), 4));
    }

    private double score(double compress, double wire, double decode) {
        return model.score(new CostPerByte(compress, wire, decode), 5);
    }
}
