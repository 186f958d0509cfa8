package io.jenkins.plugins.compressionaware.send;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.adapt.JdkChoice.LaneState;
import io.jenkins.plugins.compressionaware.adapt.LaneWrite;
import org.junit.jupiter.api.Test;

class LaneBalanceTest {
    private final LaneBalance balance = new LaneBalance();

    @Test
    void nothingIsKnownUntilTheReceiverAnswers() {
        balance.add(new LaneWrite(1000, 0, 0, 1000));
        assertEquals(LaneState.UNKNOWN, balance.state());
        balance.answered();
        assertEquals(LaneState.STARVED, balance.state());
    }

    @Test
    void theLastTenWritesCount() {
        balance.answered();
        assertEquals(LaneState.BUSY, balance.state());
        for (int i = 0; i < 100; i++) {
            balance.add(new LaneWrite(1000, 100, 0, 10));
        }
        assertEquals(LaneState.BUSY, balance.state());
        for (int i = 0; i < 10; i++) {
            balance.add(new LaneWrite(1000, 10, 0, 100));
        }
        assertEquals(LaneState.STARVED, balance.state());
        for (int i = 0; i < 10; i++) {
            balance.add(new LaneWrite(1000, 100, 0, 10));
        }
        assertEquals(LaneState.BUSY, balance.state());
    }

    @Test
    void tellsWhatAByteTakes() {
        balance.add(new LaneWrite(1000, 3000, 1000, 99));
        assertEquals(-1, balance.nanosPerByte(), "windows are empty");
        balance.answered();
        assertEquals(4, balance.nanosPerByte());
    }
}
