package io.jenkins.plugins.compressionaware.engine.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStream;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Frame;
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
import net.jpountz.lz4.LZ4FrameInputStream;

/** A frame that decodes yields the same block in ordinary tools, unless they refuse its window size. */
class FrameCodecFuzzTest extends Fuzz {
    /** Flag in the first byte: the header's checksum is corrected before the frame is read. */
    private static final int CHECKSUM_FIXED = 1;

    /** A zstd frame for an empty block that declares a window of more than 1 GiB. */
    private static final String LARGE_WINDOW = "AVwqTRggAAAAAQMAAAEAAAAAAAAAAAAAAAkAAAAAAAAAAAAAAHI6w7IotS/9AKMBAAA=";

    private static final byte[] RAW =
            "This sentence is written several times. ".repeat(6).getBytes();

    /** Noise and its repetition, for long literals and matches. */
    private static final byte[] MIXED = CapturedTransfer.join(List.of(FileTrees.noise(300), RAW, FileTrees.noise(300)));

    @Override
    protected List<byte[]> seeds() {
        List<byte[]> seeds = new ArrayList<>();
        for (Codec codec : Codec.values()) {
            for (byte[] raw : new byte[][] {RAW, MIXED, {7, 1, 3}, {}}) {
                seeds.add(flagged(CHECKSUM_FIXED, Frame.block(codec, 1, raw)));
            }
        }
        seeds.add(Base64.getDecoder().decode(LARGE_WINDOW));
        for (byte[] body : ForeignZstdTest.bodies()) {
            seeds.add(zstd(body));
        }
        return seeds;
    }

    /** A frame with a foreign body, for a block of five bytes. */
    private static byte[] zstd(byte[] body) {
        int prefix = Codec.ZSTD.envelope().prefixLength();
        byte[] frame = new byte[prefix + body.length];
        System.arraycopy(body, 0, frame, prefix, body.length);
        Codec.ZSTD.envelope().write(new FrameHeader(Codec.ZSTD, 1, 5, body.length, Checksum.CRC32C, 0), frame);
        return flagged(CHECKSUM_FIXED, frame);
    }

    @Override
    protected void read(byte[] input) throws Exception {
        if (input.length < 1 + FrameEnvelope.GZIP_EXTRA_FIELD.prefixLength()) {
            return;
        }
        byte[] frame = Arrays.copyOfRange(input, 1, input.length);
        FrameEnvelope envelope = FrameEnvelope.forFirstByte(frame[0]);
        if ((input[0] & CHECKSUM_FIXED) != 0) {
            int fields = envelope.prefixLength() - FrameHeader.LENGTH;
            ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).putInt(fields + 28, (int)
                    Crc32c.of(frame, fields, 28));
        }
        byte[] raw;
        FrameHeader header;
        try {
            header = envelope.read(frame);
            int available = frame.length - envelope.prefixLength();
            // the receiver checks this
            if (header.rawLength() < 0
                    || header.rawLength() > 1 << 16
                    || header.bodyLength() <= 0
                    || header.bodyLength() > available) {
                return;
            }
            raw = new byte[header.rawLength()];
            try (BlockDecoder decoder = header.codec().newDecoder()) {
                // without the block's checksum, which would hide how a decoder reads a damaged body
                decoder.decode(frame, envelope.prefixLength(), header.bodyLength(), raw, header.rawLength());
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
        InputStream whole = new ByteArrayInputStream(frame, 0, envelope.prefixLength() + header.bodyLength());
        try (InputStream tool =
                switch (header.codec()) {
                    case GZIP -> new GZIPInputStream(whole);
                    case LZ4 -> new LZ4FrameInputStream(whole);
                    default -> new ZstdInputStream(whole);
                }) {
            assertArrayEquals(raw, tool.readAllBytes());
        } catch (ZstdIOException e) {
            // the tool allocates the declared window, which decoding into one array does not need
            assertEquals("Frame requires too much memory for decoding", e.getMessage());
        }
    }
}
