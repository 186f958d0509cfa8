package io.jenkins.plugins.compressionaware.engine.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The zstd library also reads older formats and several frames; a body must be one frame of the current format. */
class ForeignZstdTest {
    private static final byte[] TEXT = "HELLO".getBytes();

    /** A frame of an older format, with one raw block. */
    static byte[] legacy(int version) {
        ByteBuffer out = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(0xFD2FB520 + version);
        if (version == 7) {
            out.put((byte) 0x20).put((byte) TEXT.length);
        } else {
            out.put((byte) 0);
        }
        out.put((byte) 0x40).put((byte) 0).put((byte) TEXT.length).put(TEXT);
        out.put((byte) 0xC0).put((byte) 0).put((byte) 0);
        return Arrays.copyOf(out.array(), out.position());
    }

    private static byte[] behindSkippableFrame(byte[] frame) {
        ByteBuffer both = ByteBuffer.allocate(8 + frame.length).order(ByteOrder.LITTLE_ENDIAN);
        return both.putInt(0x184D2A50).putInt(0).put(frame).array();
    }

    private static byte[] concatenated(byte[] first, byte[] second) {
        return ByteBuffer.allocate(first.length + second.length)
                .put(first)
                .put(second)
                .array();
    }

    /** Bodies that the library reads but the decoder must reject. */
    static List<byte[]> bodies() {
        return List.of(
                legacy(4),
                legacy(5),
                legacy(6),
                legacy(7),
                behindSkippableFrame(frame(TEXT)),
                concatenated(frame(TEXT), frame(new byte[0])));
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void olderFormatsAndSeveralFramesAreRejected(byte[] body) {
        assertRejected(body);
    }

    @Test
    void wholeFrameIsDecodedAndOthersAreRejected() throws Exception {
        byte[] frame = frame(TEXT);
        assertRejected(Arrays.copyOf(frame, frame.length + 1));
        assertRejected(Arrays.copyOf(frame, 3));
        try (BlockDecoder decoder = Codec.ZSTD.newDecoder()) {
            byte[] raw = new byte[TEXT.length];
            decoder.decode(frame, 0, frame.length, raw, TEXT.length);
            assertArrayEquals(TEXT, raw);
        }
    }

    private static byte[] frame(byte[] raw) {
        try (BlockEncoder encoder = Codec.ZSTD.newEncoder(3)) {
            byte[] frame = new byte[encoder.maxEncodedLength(raw.length)];
            return Arrays.copyOf(frame, encoder.encode(raw, raw.length, frame, 0));
        }
    }

    private static void assertRejected(byte[] body) {
        try (BlockDecoder decoder = Codec.ZSTD.newDecoder()) {
            assertThrows(
                    CorruptFrameException.class,
                    () -> decoder.decode(body, 0, body.length, new byte[TEXT.length], TEXT.length),
                    () -> Base64.getEncoder().encodeToString(body));
        }
    }
}
