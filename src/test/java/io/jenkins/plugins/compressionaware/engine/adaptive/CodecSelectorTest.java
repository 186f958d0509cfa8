package io.jenkins.plugins.compressionaware.engine.adaptive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CodecSelectorTest {
    @Test
    void choicesStayWithinLevelBounds() {
        Random random = new Random(3);
        for (int min = 0; min <= Codec.ZSTD.maxLevel(); min++) {
            for (int max = min; max <= Codec.ZSTD.maxLevel(); max++) {
                int least = min;
                int most = max;
                CodecSelector selector = new CodecSelector(min, max, 2, true);
                for (int i = 0; i < 60; i++) {
                    BlockDecision decision = selector.choose(ContentClass.values()[i % 5], 256 * 1024, null);
                    selector.onCompressed(decision, 1 + random.nextInt(256 * 1024), random.nextInt(100_000_000));
                    selector.onSent(new LaneWrite(100_000, random.nextInt(1_000_000_000), 0, 0));
                    CodecLevel choice = decision.choice();
                    assertTrue(
                            choice.level() >= least && choice.level() <= most,
                            () -> choice + " for levels of " + least + " to " + most);
                }
            }
        }
    }

    /** A link between two processes of one machine: time that a request waits for the link is no wait for processors. */
    @ParameterizedTest
    @CsvSource({"2, 80, 12.5e6", "2, 8.5, 268e6", "8, 80, 12.5e6", "64, 80, 12.5e6", "0, 80, 12.5e6"})
    void sharedProcessorsExplainSlowRequestsOnlyInPart(int processors, double nanosPerByte, double most) {
        CodecSelector selector = new CodecSelector(0, 0, 2, true);
        selector.sharedProcessors(processors);
        selector.lanes(1, true);
        for (int i = 0; i < 50; i++) {
            selector.onSent(new LaneWrite(1_000_000, (long) (1_000_000 * nanosPerByte), 0, 0));
            selector.choose(ContentClass.TEXT, 200_000, "a.txt");
        }
        assertEquals(most, 1e9 / selector.laneCost(), most / 10);
    }
}
