package io.jenkins.plugins.compressionaware.engine.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Frame;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A damaged frame causes a {@link CorruptFrameException}, never another exception or wrong data. */
@Timeout(60)
class DamagedFrameTest {
    /** Text and noise, so that codecs use several of their encodings. */
    private static final byte[] RAW = raw();

    private static byte[] raw() {
        byte[] raw = FileTrees.noise(600);
        byte[] text = "to be or not to be, that is the question; ".repeat(10).getBytes(StandardCharsets.UTF_8);
        System.arraycopy(text, 0, raw, 0, text.length);
        return raw;
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void flippedHeaderBitIsRejected(Codec codec) throws Exception {
        for (byte[] frame : List.of(frame(codec, RAW), Frame.end(codec, 12))) {
            for (int bit = 0; bit < codec.envelope().prefixLength() * 8; bit++) {
                byte[] flipped = flip(frame, bit);
                assertThrows(CorruptFrameException.class, () -> read(codec, flipped), codec + ", bit " + bit);
            }
        }
    }

    /** Some flips are harmless, for example in padding bits. */
    @ParameterizedTest
    @EnumSource(Codec.class)
    void flippedBodyBitIsRejectedOrHarmless(Codec codec) throws Exception {
        for (byte[] raw : new byte[][] {RAW, Arrays.copyOf(RAW, 300), Arrays.copyOfRange(RAW, 500, 600), {7}, {}}) {
            byte[] frame = frame(codec, raw);
            assertArrayEquals(raw, read(codec, frame), "undamaged");
            int rejected = 0;
            for (int bit = codec.envelope().prefixLength() * 8; bit < frame.length * 8; bit++) {
                if (isRejected(codec, flip(frame, bit), raw)) {
                    rejected++;
                }
            }
            assertTrue(rejected > 0, codec + " accepts any damage");
        }
    }

    /** The CRC-32 and the length of gzip cover the whole block. */
    @Test
    void gzipDetectsDamageWithoutTheHeader() {
        byte[] body = body(Codec.GZIP, RAW);
        for (int bit = 0; bit < body.length * 8; bit++) {
            byte[] decoded = new byte[RAW.length];
            try (BlockDecoder decoder = Codec.GZIP.newDecoder()) {
                decoder.decode(flip(body, bit), 0, body.length, decoded, RAW.length);
            } catch (CorruptFrameException e) {
                continue;
            }
            assertArrayEquals(RAW, decoded, "bit " + bit);
        }
    }

    @ParameterizedTest
    @EnumSource(Checksum.class)
    void checksumOfOtherBytesIsRejected(Checksum checksum) {
        byte[] frame = frame(Codec.NONE, RAW);
        int bodyLength = frame.length - Codec.NONE.envelope().prefixLength();
        for (long wrong : new long[] {1, 1L << 63}) {
            long blockChecksum = checksum.of(RAW, 0, RAW.length) ^ wrong;
            FrameHeader header = new FrameHeader(Codec.NONE, 3, RAW.length, bodyLength, checksum, blockChecksum);
            CorruptFrameException thrown = assertThrows(
                    CorruptFrameException.class,
                    () -> FrameCodec.decode(header, new UncompressedCodec(), frame, new byte[RAW.length]));
            assertEquals("block 3 was damaged (wrong checksum)", thrown.getMessage());
        }
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void overwrittenBytesAreRejectedOrHarmless(Codec codec) throws Exception {
        Random random = new Random(5);
        byte[] frame = frame(codec, RAW);
        int prefix = codec.envelope().prefixLength();
        for (int round = 0; round < 3_000; round++) {
            byte[] damaged = frame.clone();
            int from = prefix + random.nextInt(frame.length - prefix);
            int to = Math.min(frame.length, from + 1 + random.nextInt(40));
            byte[] noise = new byte[to - from];
            random.nextBytes(noise);
            System.arraycopy(noise, 0, damaged, from, noise.length);
            isRejected(codec, damaged, RAW);
        }
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void truncatedBodyIsRejected(Codec codec) throws Exception {
        byte[] body = body(codec, RAW);
        try (BlockDecoder decoder = codec.newDecoder()) {
            for (int length = 0; length < body.length; length++) {
                assertCorrupt(decoder, body, length, codec + ", " + length + " bytes");
            }
        }
    }

    /** An ordinary gzip tool would not find the trailer. */
    @Test
    void extraBytesBeforeGzipTrailerAreRejected() {
        byte[] body = body(Codec.GZIP, RAW);
        byte[] longer = new byte[body.length + 5];
        System.arraycopy(body, 0, longer, 0, body.length - 8);
        System.arraycopy(body, body.length - 8, longer, longer.length - 8, 8);
        try (BlockDecoder decoder = Codec.GZIP.newDecoder()) {
            assertCorrupt(decoder, longer, longer.length, "five bytes more");
        }
    }

    /** Frames that this plugin never writes, for a block of eight bytes. */
    @ParameterizedTest
    @CsvSource({
        "two literals and a match that begins before the block, 04000000" + "2a41420300",
        "a match at distance zero, 04000000" + "2a41420000",
        "more literals than the frame holds, 03000000" + "f000" + "41",
        "a length that continues after the end, 03000000" + "f0ffff",
        "more literals than the block holds, 0a000000" + "90414243444546474849",
        "a match longer than the block, 06000000" + "1f410100ff00",
        "fewer bytes than the block holds, 04000000" + "30414243",
        "a block size above the body, ffffff7f" + "804142434445464748",
        "a block size below the body, 08000000" + "804142434445464748",
        "a stored block of another length, 09000080" + "414243444546474849",
        "an empty block, 00000000",
        "two blocks, 04000080" + "41424344" + "04000080" + "45464748",
        "a checksum after the end mark, 08000080" + "4142434445464748" + "0000000012345678"
    })
    void hostileLz4FrameIsRejected(String what, String block) {
        byte[] body = HexFormat.of().parseHex("04224d18" + "607073" + block + "00000000");
        byte[] raw = new byte[16];
        try (BlockDecoder decoder = Codec.LZ4.newDecoder()) {
            assertThrows(CorruptFrameException.class, () -> decoder.decode(body, 0, body.length, raw, 8), what);
        }
        assertArrayEquals(new byte[8], Arrays.copyOfRange(raw, 8, 16), "written behind the block: " + what);
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void bodyOfAnotherCodecIsRejected(Codec codec) throws Exception {
        for (Codec other : Codec.values()) {
            byte[] body = body(other, RAW);
            try (BlockDecoder decoder = codec.newDecoder()) {
                // uncompressed bodies are zstd frames, which zstd decodes
                if (other != codec && !(codec == Codec.ZSTD && other == Codec.NONE)) {
                    assertCorrupt(decoder, body, body.length, other + " as " + codec);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void wrongAnnouncedLengthIsRejected(Codec codec) throws Exception {
        byte[] body = body(codec, RAW);
        try (BlockDecoder decoder = codec.newDecoder()) {
            for (int announced : new int[] {0, 1, RAW.length - 1, RAW.length + 1, 2 * RAW.length, 1 << 20}) {
                byte[] decoded = new byte[1 << 20];
                assertThrows(
                        CorruptFrameException.class,
                        () -> decoder.decode(body, 0, body.length, decoded, announced),
                        codec + ", " + announced + " bytes");
                byte[] behind = Arrays.copyOfRange(decoded, announced, decoded.length);
                assertArrayEquals(new byte[behind.length], behind, "written behind the announced length");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void decoderWorksAfterDamagedBlock(Codec codec) throws Exception {
        byte[] body = body(codec, RAW);
        byte[] decoded = new byte[RAW.length];
        try (BlockDecoder decoder = codec.newDecoder()) {
            assertCorrupt(decoder, body, body.length / 2, "half of the body");
            decoder.decode(body, 0, body.length, decoded, RAW.length);
        }
        assertArrayEquals(RAW, decoded);
    }

    private static void assertCorrupt(BlockDecoder decoder, byte[] body, int length, String message) {
        assertThrows(
                CorruptFrameException.class,
                () -> decoder.decode(body, 0, length, new byte[RAW.length], RAW.length),
                message);
    }

    private static boolean isRejected(Codec codec, byte[] frame, byte[] raw) {
        try {
            assertArrayEquals(raw, read(codec, frame), "wrong data");
            return false;
        } catch (CorruptFrameException e) {
            return true;
        }
    }

    /** Reads a frame with the receiver's checks of its lengths. */
    private static byte[] read(Codec codec, byte[] frame) throws CorruptFrameException {
        FrameEnvelope envelope = codec.envelope();
        FrameHeader header = envelope.read(frame);
        if (header.bodyLength() < 0
                || header.bodyLength() > frame.length - envelope.prefixLength()
                || header.rawLength() < 0
                || header.rawLength() > FrameCodec.MAX_BLOCK) {
            throw new CorruptFrameException("the receiver checks this");
        }
        byte[] raw = new byte[header.rawLength()];
        try (BlockDecoder decoder = header.codec().newDecoder()) {
            FrameCodec.decode(header, decoder, frame, raw);
        }
        return raw;
    }

    private static byte[] frame(Codec codec, byte[] raw) {
        return Frame.block(codec, 3, raw);
    }

    private static byte[] body(Codec codec, byte[] raw) {
        byte[] frame = frame(codec, raw);
        return Arrays.copyOfRange(frame, codec.envelope().prefixLength(), frame.length);
    }

    private static byte[] flip(byte[] bytes, int bit) {
        byte[] flipped = bytes.clone();
        flipped[bit / 8] ^= (byte) (1 << bit % 8);
        return flipped;
    }
}
