package io.jenkins.plugins.compressionaware.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.remote.SmallUnstash;
import io.jenkins.plugins.compressionaware.tar.LandingWarning;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnstashTransferTest {
    @Test
    void noMoreIsBelievedThanWasSent() {
        ReceiveReport much = UnstashTransfer.believed(
                new SmallUnstash.Done(Long.MAX_VALUE, Long.MAX_VALUE, List.of()), 20_480, 1000);
        assertEquals(40, much.entries());
        assertEquals(20_480, much.contentBytes());
        ReceiveReport negative = UnstashTransfer.believed(new SmallUnstash.Done(-1, -1, List.of()), 20_480, 1000);
        assertEquals(0, negative.entries());
        assertEquals(0, negative.contentBytes());
        List<LandingWarning> many =
                Collections.nCopies(9, new LandingWarning(LandingWarning.Kind.FOLDER_KEPT, 1, "a", ""));
        assertEquals(
                3,
                UnstashTransfer.believed(new SmallUnstash.Done(1, 1, many), 20_480, 1000)
                        .warnings()
                        .size());
        ReceiveReport honest = UnstashTransfer.believed(new SmallUnstash.Done(3, 1200, List.of()), 20_480, 1000);
        assertEquals(3, honest.entries());
        assertEquals(1200, honest.contentBytes());
    }
}
