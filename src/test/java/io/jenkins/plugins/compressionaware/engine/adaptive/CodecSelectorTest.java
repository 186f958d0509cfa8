package io.jenkins.plugins.compressionaware.engine.adaptive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CodecSelectorTest {
    @ParameterizedTest
    @CsvSource({
        "0, 9, true, true, 'none, zstd 1, zstd 3, zstd 6, zstd 9'",
        "4, 9, true, true, 'zstd 4, zstd 6, zstd 9'",
        "4, 5, true, true, zstd 4",
        "0, 0, false, true, none",
        "0, 9, false, true, 'none, lz4, gzip 1, gzip 6'",
        "1, 1, false, true, 'lz4, gzip 1'",
        "4, 9, false, true, gzip 6",
        "0, 9, false, false, 'none, gzip 1, gzip 6'"
    })
    void lowestLevelReplacesLevelBelow(int min, int max, boolean zstd, boolean lz4, String expected) {
        List<CodecLevel> levels = CompressionLadder.levels(min, max, zstd);
        String used = IntStream.of(CompressionLadder.rungs(min, max, zstd, lz4))
                .mapToObj(rung -> levels.get(rung).toString())
                .collect(Collectors.joining(", "));
        assertEquals(expected, used);
    }

    @Test
    void choicesStayWithinLevelBounds() {
        Random random = new Random(3);
        for (int min = 0; min <= Codec.ZSTD.maxLevel(); min++) {
            for (int max = min; max <= Codec.ZSTD.maxLevel(); max++) {
                int least = min;
                int most = max;
                CodecSelector selector = new CodecSelector(min, max, 2, true, true);
                for (int i = 0; i < 60; i++) {
                    BlockDecision decision = selector.choose(ContentClass.values()[i % 5], 256 * 1024, null);
                    // a ratio at which every level is useful
                    int wireLength = (32 + random.nextInt(32)) * 1024;
                    selector.onCompressed(decision, wireLength, random.nextInt(100_000_000));
                    selector.onSent(new LaneWrite(100_000, random.nextInt(1_000_000_000), 0, 0));
                    CodecLevel choice = decision.choice();
                    assertTrue(
                            choice.level() >= least && choice.level() <= most,
                            () -> choice + " for levels of " + least + " to " + most);
                }
            }
        }
    }

    /** The rate of the link is the first guess, or so low that every saved byte counts. The lowest level of a stash is 4. */
    @ParameterizedTest
    @CsvSource({
        "0, true, 20",
        "0, false, 20",
        "0, true, 8000",
        "0, false, 8000",
        "4, true, 20",
        "4, false, 20",
        "4, true, 8000",
        "9, true, 8000"
    })
    void noiseIsCompressedUntilFirstResultAndInTrials(int min, boolean zstd, double nanosPerByte) {
        CodecSelector selector = new CodecSelector(min, 9, 2, zstd, true);
        selector.link(nanosPerByte);
        int length = 256 * 1024;
        int compressed = 0;
        for (int i = 0; i < 96; i++) {
            BlockDecision decision = selector.choose(ContentClass.NOISE, length, "noise.bin");
            compressed += decision.choice().equals(CodecLevel.UNCOMPRESSED) ? 0 : 1;
            selector.onCompressed(decision, length + 40, length);
        }
        assertTrue(compressed > 0 && compressed <= 5, compressed + " of 96 blocks");
    }

    /** A link between two processes of one machine: time that a request waits for the link is no wait for processors. */
    @ParameterizedTest
    @CsvSource({"2, 80, 13.9e6", "2, 8.5, 470e6", "8, 80, 12.5e6", "64, 80, 12.5e6", "0, 80, 12.5e6"})
    void sharedProcessorsExplainSlowRequestsOnlyInPart(int processors, double nanosPerByte, double most) {
        CodecSelector selector = new CodecSelector(0, 0, 2, true, true);
        selector.sharedProcessors(processors);
        selector.lanes(1, true);
        for (int i = 0; i < 50; i++) {
            selector.onSent(new LaneWrite(1_000_000, (long) (1_000_000 * nanosPerByte), 0, 0));
            selector.choose(ContentClass.TEXT, 200_000, "a.txt");
        }
        assertEquals(most, 1e9 / selector.laneCost(), most / 10);
    }

    private final CostModel model = new CostModel(10, 5, 2, 0);

    @Test
    void slowestStageDeterminesTime() {
        assertEquals(5, model.time(new CostPerByte(4, 0.5)));
        assertEquals(6, model.time(new CostPerByte(12, 0.1)));
    }

    @Test
    void sharedProcessorsCountAsStage() {
        CostModel shared = new CostModel(1, 5, 2, 2);
        CostPerByte uncompressed = new CostPerByte(0, 1);
        assertTrue(
                shared.time(new CostPerByte(2.5, 0.25)) < shared.time(uncompressed),
                "fewer wire bytes take less CPU time");
    }

    @Test
    void cheaperOfEquallyFastChoicesWins() {
        double base = score(4, 0.5);
        assertTrue(score(3, 0.5) < base, "less to compress");
        CostModel fastLane = new CostModel(1, 5, 2, 0);
        assertTrue(
                fastLane.score(new CostPerByte(4, 0.4), 9) < fastLane.score(new CostPerByte(4, 0.5), 9),
                "less to send");
    }

    @Test
    void clearlyFasterChoiceWinsDespiteItsCosts() {
        assertTrue(model.score(new CostPerByte(8, 0.4), 4) < model.score(new CostPerByte(0, 0.5), 4));
    }

    private double score(double compress, double wire) {
        return model.score(new CostPerByte(compress, wire), 5);
    }
}
