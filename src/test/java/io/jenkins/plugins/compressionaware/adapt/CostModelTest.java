package io.jenkins.plugins.compressionaware.adapt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.adapt.CostModel.Stage;
import org.junit.jupiter.api.Test;

class CostModelTest {
    private final CostModel model = new CostModel(1, 10, 5, 2, 0);

    @Test
    void timeIsThatOfTheSlowestStage() {
        assertEquals(5, model.time(new CostPerByte(4, 0.5, 2, 1)));
        assertEquals(Stage.LANE, model.slowest(new CostPerByte(4, 0.5, 2, 1)));
        assertEquals(6, model.time(new CostPerByte(12, 0.1, 2, 1)));
        assertEquals(Stage.COMPRESS, model.slowest(new CostPerByte(12, 0.1, 2, 1)));
        assertEquals(Stage.CONTROLLER, model.slowest(new CostPerByte(1, 0.1, 3, 1)));
        assertEquals(Stage.READ, model.slowest(new CostPerByte(1, 0.01, 0.5, 1)));
    }

    @Test
    void aSharedProcessorIsAStage() {
        CostModel shared = new CostModel(1, 1, 5, 2, 2);
        CostPerByte stored = new CostPerByte(0, 1, 9, 0);
        assertEquals((1 + 5 + 1) / 2.0, shared.time(stored));
        assertEquals(Stage.PROCESSORS, shared.slowest(stored));
        assertTrue(
                shared.time(new CostPerByte(2.5, 0.25, 9, 1)) < shared.time(stored), "less to carry leaves time for others");
        assertEquals(9, new CostModel(1, 1, 5, 2, 0).time(stored), "what the controller says counts if it has its own");
    }

    @Test
    void ofEquallyFastChoicesTheCheaperWins() {
        double base = score(4, 0.5, 1);
        assertTrue(score(3, 0.5, 1) < base, "less to compress");
        assertTrue(score(4, 0.5, 0.5) < base, "less to decode");
        CostModel slowController = new CostModel(1, 1, 5, 2, 0);
        assertTrue(
                slowController.score(new CostPerByte(4, 0.4, 9, 1), 9) < slowController.score(new CostPerByte(4, 0.5, 9, 1), 9),
                "less to send");
    }

    @Test
    void aClearlyFasterChoiceWinsWhateverItCosts() {
        assertTrue(model.score(new CostPerByte(8, 0.4, 1, 2), 4) < model.score(new CostPerByte(0, 0.5, 1, 0), 4));
    }

    private double score(double compress, double wire, double decode) {
        return model.score(new CostPerByte(compress, wire, 1, decode), 5);
    }
}
