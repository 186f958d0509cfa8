package io.jenkins.plugins.compressionaware.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import org.junit.jupiter.api.Test;

class UnstashTransferTest {
    @Test
    void noMoreIsBelievedThanWasSent() {
        ReceiveReport much = UnstashTransfer.believed(new long[] {Long.MAX_VALUE, Long.MAX_VALUE}, 20_480, 1000);
        assertEquals(40, much.entries());
        assertEquals(20_480, much.contentBytes());
        ReceiveReport negative = UnstashTransfer.believed(new long[] {-1, -1}, 20_480, 1000);
        assertEquals(0, negative.entries());
        assertEquals(0, negative.contentBytes());
        ReceiveReport honest = UnstashTransfer.believed(new long[] {3, 1200}, 20_480, 1000);
        assertEquals(3, honest.entries());
        assertEquals(1200, honest.contentBytes());
    }
}
