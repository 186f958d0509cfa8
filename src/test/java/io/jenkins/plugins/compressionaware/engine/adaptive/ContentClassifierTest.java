package io.jenkins.plugins.compressionaware.engine.adaptive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.History;
import java.io.IOException;
import java.util.Base64;
import java.util.EnumSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContentClassifierTest {
    private static byte[] text(int length) {
        return History.text(2, length);
    }

    private static ContentClass classify(byte[] block) {
        return ContentClassifier.classify(block, block.length);
    }

    @ParameterizedTest
    @ValueSource(ints = {1024, 5000, 100_000, 256 * 1024})
    void randomBytesAreNoiseAndTextIsText(int length) {
        assertEquals(ContentClass.NOISE, classify(FileTrees.noise(length)));
        assertEquals(ContentClass.TEXT, classify(text(length)));
    }

    /** Samples of so few bytes do not distinguish noise from dense content. */
    @ParameterizedTest
    @ValueSource(ints = {128, 300, 1000})
    void shortRandomBlocksAreNoiseOrDense(int length) {
        assertTrue(
                EnumSet.of(ContentClass.NOISE, ContentClass.DENSE).contains(classify(FileTrees.noise(length))),
                classify(FileTrees.noise(length)).name());
        assertEquals(ContentClass.TEXT, classify(text(length)));
    }

    @Test
    void jarIsNoise() throws IOException {
        Random random = new Random(3);
        byte[][] entries = new byte[20][20_000];
        for (byte[] entry : entries) {
            for (int i = 0; i < entry.length; i++) {
                entry[i] = (byte) (random.nextGaussian() * 20);
            }
        }
        assertEquals(ContentClass.NOISE, classify(History.jar(0, false, entries)));
    }

    @Test
    void zerosAndEmptyBlocksAreSparse() {
        assertEquals(ContentClass.SPARSE, classify(new byte[256 * 1024]));
        assertEquals(ContentClass.SPARSE, classify(new byte[0]));
    }

    @Test
    void base64IsText() {
        assertEquals(ContentClass.TEXT, classify(Base64.getEncoder().encode(FileTrees.noise(90_000))));
    }

    @Test
    void bytesBeyondLengthAreIgnored() {
        byte[] block = FileTrees.noise(256 * 1024);
        System.arraycopy(text(1000), 0, block, 0, 1000);
        assertEquals(ContentClass.TEXT, ContentClassifier.classify(block, 1000));
    }
}
