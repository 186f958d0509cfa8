package io.jenkins.plugins.compressionaware.adapt;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.adapt.JdkChoice.LaneState;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.testkit.Trees;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class JdkChoiceTest {
    private static final int LENGTH = 64 * 1024;
    private static final byte[] TEXT =
            "a line of a log, 12:00:00, and another\n".repeat(LENGTH / 39).getBytes(StandardCharsets.US_ASCII);

    /** What nobody waits for may take longer; and a link that has not answered may be slow. */
    @ParameterizedTest
    @CsvSource({"UNKNOWN, 6", "BUSY, 6", "STARVED, 1"})
    void onlyStarvedLanesMakeHaste(LaneState lanes, int level) {
        assertEquals(new Choice(Codec.GZIP, level), JdkChoice.of(TEXT, TEXT.length, 0, 19, lanes));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "UNKNOWN")
    void noiseIsStored(LaneState lanes) {
        assertEquals(Choice.STORED, JdkChoice.of(noise(), LENGTH, 0, 19, lanes));
    }

    /** Jars look like noise, and shrink by 5 %. */
    @Test
    void noiseIsTriedWhileTheLinkMayBeSlow() {
        assertEquals(new Choice(Codec.GZIP, 6), JdkChoice.of(noise(), LENGTH, 0, 19, LaneState.UNKNOWN));
    }

    @Test
    void boundsAreKept() {
        assertEquals(Choice.STORED, JdkChoice.of(TEXT, TEXT.length, 0, 0, LaneState.BUSY));
        assertEquals(new Choice(Codec.GZIP, 1), JdkChoice.of(TEXT, TEXT.length, 0, 3, LaneState.BUSY));
        assertEquals(new Choice(Codec.GZIP, 6), JdkChoice.of(noise(), LENGTH, 1, 19, LaneState.BUSY));
    }

    private static byte[] noise() {
        return Trees.noise(LENGTH);
    }
}
