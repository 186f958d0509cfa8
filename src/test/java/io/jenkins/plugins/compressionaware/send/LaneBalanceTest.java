package io.jenkins.plugins.compressionaware.send;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.adapt.JdkChoice.LaneState;
import org.junit.jupiter.api.Test;

class LaneBalanceTest {
    private final LaneBalance balance = new LaneBalance();

    @Test
    void nothingIsKnownUntilTheReceiverAnswers() {
        balance.add(0, 1000);
        assertEquals(LaneState.UNKNOWN, balance.state());
        balance.answered();
        assertEquals(LaneState.STARVED, balance.state());
    }

    @Test
    void theLastTenWritesCount() {
        balance.answered();
        assertEquals(LaneState.BUSY, balance.state());
        for (int i = 0; i < 100; i++) {
            balance.add(100, 10);
        }
        assertEquals(LaneState.BUSY, balance.state());
        for (int i = 0; i < 10; i++) {
            balance.add(10, 100);
        }
        assertEquals(LaneState.STARVED, balance.state());
        for (int i = 0; i < 10; i++) {
            balance.add(100, 10);
        }
        assertEquals(LaneState.BUSY, balance.state());
    }
}
