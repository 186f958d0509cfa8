package io.jenkins.plugins.compressionaware.engine.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class CodecRoundTripTest {
    private static final byte GUARD = 0x55;
    private static final int LARGE = 256 * 1024;

    /** Each codec at each of its levels. */
    static Stream<Object[]> levels() {
        List<Object[]> levels = new ArrayList<>();
        for (Codec codec : Codec.values()) {
            for (int level = codec.minLevel(); level <= codec.maxLevel(); level++) {
                levels.add(new Object[] {codec, level});
            }
        }
        return levels.stream();
    }

    private static List<Integer> sizes(Random random) {
        List<Integer> sizes =
                new ArrayList<>(List.of(0, 1, 2, 11, 12, 13, 255, 1024, (128 << 10) - 1, 128 << 10, (128 << 10) + 1));
        for (int i = 0; i < 4; i++) {
            sizes.add(random.nextInt(20_000));
        }
        return sizes;
    }

    @ParameterizedTest
    @MethodSource("levels")
    void roundTripsAllSizesWithinMaxEncodedLength(Codec codec, int level) throws Exception {
        Random random = new Random(level);
        try (BlockEncoder encoder = codec.newEncoder(level);
                BlockDecoder decoder = codec.newDecoder()) {
            for (int size : sizes(random)) {
                for (byte[] raw : blocks(size, random)) {
                    roundTrip(encoder, decoder, raw, random.nextInt(50));
                }
            }
        }
    }

    /** The highest level has the smallest margin below its maximum encoded length. */
    @ParameterizedTest
    @EnumSource(Codec.class)
    void roundTripsLargeBlocks(Codec codec) throws Exception {
        Random random = new Random(1);
        try (BlockEncoder encoder = codec.newEncoder(codec.minLevel());
                BlockEncoder strongest = codec.newEncoder(codec.maxLevel());
                BlockDecoder decoder = codec.newDecoder()) {
            for (int size : new int[] {LARGE, FrameCodec.MAX_BLOCK - 1, FrameCodec.MAX_BLOCK}) {
                for (byte[] raw : blocks(size, random)) {
                    roundTrip(encoder, decoder, raw, 0);
                }
            }
            roundTrip(strongest, decoder, FileTrees.noise(FrameCodec.MAX_BLOCK), 0);
        }
    }

    private static void roundTrip(BlockEncoder encoder, BlockDecoder decoder, byte[] raw, int offset) throws Exception {
        byte[] target = new byte[offset + encoder.maxEncodedLength(raw.length) + 16];
        Arrays.fill(target, GUARD);
        // larger than the block, like a reused array
        byte[] source = Arrays.copyOf(raw, raw.length + 10);
        int length = encoder.encode(source, raw.length, target, offset);
        assertTrue(length <= encoder.maxEncodedLength(raw.length), length + " bytes for " + raw.length);
        for (int i = 0; i < offset; i++) {
            assertEquals(GUARD, target[i], "written before the offset");
        }

        byte[] exact = new byte[offset + encoder.maxEncodedLength(raw.length)];
        assertEquals(
                length, encoder.encode(source, raw.length, exact, offset), "in an array of exactly the maximum length");

        byte[] decoded = new byte[raw.length + 20];
        Arrays.fill(decoded, GUARD);
        decoder.decode(target, offset, length, decoded, raw.length);
        assertArrayEquals(raw, Arrays.copyOf(decoded, raw.length));
        for (int i = raw.length; i < decoded.length; i++) {
            assertEquals(GUARD, decoded[i], "written behind the block");
        }
    }

    private static List<byte[]> blocks(int size, Random random) {
        byte[] noise = new byte[size];
        random.nextBytes(noise);
        byte[] text = new byte[size];
        byte[] words = "INFO  all work and no play makes Jack a dull boy\n".getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < size; i++) {
            text[i] = words[i % words.length];
        }
        byte[] mixed = noise.clone();
        Arrays.fill(mixed, size / 3, size / 2, (byte) 0);
        return List.of(noise, text, mixed, new byte[size]);
    }
}
