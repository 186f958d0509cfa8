package io.jenkins.plugins.compressionaware.engine.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStream;
import io.jenkins.plugins.compressionaware.testing.Fuzz;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.zip.GZIPInputStream;

/** A frame is a block, and ordinary tools make the same of it or ask for more memory, or it is damaged. */
class FrameCodecFuzzTest extends Fuzz {
    /** In the first byte: the header's checksum is made right. */
    private static final int MENDED = 1;

    /** Zstd that asks for a window of more than 1 GiB, for a block of no bytes. */
    private static final String LARGE_WINDOW = "AVwqTRggAAAAAQMAAAEAAAAAAAAAAAAAAAkAAAAAAAAAAAAAAHI6w7IotS/9AKMBAAA=";

    private static final byte[] RAW =
            "What is written twice is written twice. ".repeat(6).getBytes();

    @Override
    protected List<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        for (Codec codec : Codec.values()) {
            for (byte[] raw : new byte[][] {RAW, {7, 1, 3}, {}}) {
                try (BlockEncoder encoder = codec.newEncoder(codec.defaultLevel())) {
                    byte[] frame = new byte[1 + FrameCodec.maxFrameLength(codec, encoder, raw.length)];
                    int length = FrameCodec.encode(codec, encoder, Checksum.NONE, 1, raw, raw.length, frame);
                    System.arraycopy(frame, 0, frame, 1, length);
                    frame[0] = MENDED;
                    seeds.add(Arrays.copyOf(frame, 1 + length));
                }
            }
        }
        seeds.add(Base64.getDecoder().decode(LARGE_WINDOW));
        for (byte[] body : ForeignZstdTest.bodies()) {
            seeds.add(zstd(body));
        }
        return seeds;
    }

    /** A frame of ours with a body that is not ours, for a block of five bytes. */
    private static byte[] zstd(byte[] body) {
        int prefix = Codec.ZSTD.envelope().prefixLength();
        byte[] frame = Arrays.copyOf(new byte[prefix], prefix + body.length);
        System.arraycopy(body, 0, frame, prefix, body.length);
        Codec.ZSTD.envelope().write(new FrameHeader(Codec.ZSTD, false, 1, 5, body.length, Checksum.NONE, 0), frame);
        byte[] seed = new byte[1 + frame.length];
        seed[0] = MENDED;
        System.arraycopy(frame, 0, seed, 1, frame.length);
        return seed;
    }

    @Override
    protected void read(byte[] input) throws Exception {
        if (input.length < 1 + FrameEnvelope.GZIP_EXTRA_FIELD.prefixLength()) {
            return;
        }
        byte[] frame = Arrays.copyOfRange(input, 1, input.length);
        FrameEnvelope envelope = FrameEnvelope.forFirstByte(frame[0]);
        if ((input[0] & MENDED) != 0) {
            int fields = envelope.prefixLength() - FrameHeader.LENGTH;
            ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).putInt(fields + 28, (int)
                    Checksum.CRC32C.compute(frame, fields, 28));
        }
        byte[] raw;
        FrameHeader header;
        try {
            header = envelope.read(frame);
            int room = frame.length - envelope.prefixLength();
            // the receiver sees to it
            if (header.rawLength() < 0
                    || header.rawLength() > 1 << 16
                    || header.bodyLength() <= 0
                    || header.bodyLength() > room) {
                return;
            }
            raw = new byte[header.rawLength()];
            try (BlockDecoder decoder = header.codec().newDecoder()) {
                FrameCodec.decode(header, decoder, frame, raw);
            }
            if (header.codec() == Codec.ZSTD) {
                assertEquals(
                        0xFD2FB528,
                        ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).getInt(envelope.prefixLength()),
                        "a frame of another format");
            }
        } catch (CorruptFrameException e) {
            return;
        }
        if (header.codec() != Codec.LZ4) { // no other reader of it takes and refuses the same as the one in C
            InputStream whole = new ByteArrayInputStream(frame, 0, envelope.prefixLength() + header.bodyLength());
            try (InputStream tool =
                    header.codec() == Codec.GZIP ? new GZIPInputStream(whole) : new ZstdInputStream(whole)) {
                assertArrayEquals(raw, tool.readAllBytes());
            } catch (ZstdIOException e) {
                // for the window that the frame's header names, which who has all of it at once does not need
                assertEquals("Frame requires too much memory for decoding", e.getMessage());
            }
        }
    }
}
