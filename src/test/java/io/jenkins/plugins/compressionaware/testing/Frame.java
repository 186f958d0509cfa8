package io.jenkins.plugins.compressionaware.testing;

import io.jenkins.plugins.compressionaware.engine.codec.BlockEncoder;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.Crc32c;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Creates valid and invalid frames. */
public final class Frame {
    private Frame() {}

    public static byte[] block(Codec codec, long sequence, byte[] raw) {
        try (BlockEncoder encoder = codec.newEncoder(codec.defaultLevel())) {
            byte[] frame = new byte[FrameCodec.maxFrameLength(codec, encoder, raw.length)];
            return Arrays.copyOf(
                    frame, FrameCodec.encode(codec, encoder, Checksum.CRC32C, sequence, raw, raw.length, frame));
        }
    }

    public static byte[] end(Codec codec, long blocks) {
        try (BlockEncoder encoder = codec.newEncoder(codec.defaultLevel())) {
            return FrameCodec.endFrame(codec, encoder, Checksum.CRC32C, blocks);
        }
    }

    /** Makes the footer of a frame file claim another length of the tar. */
    public static void claimRawBytes(Path file, long rawBytes) throws IOException {
        byte[] all = Files.readAllBytes(file);
        int footer = all.length - 40;
        ByteBuffer bytes = ByteBuffer.wrap(all).order(ByteOrder.LITTLE_ENDIAN).putLong(footer + 16, rawBytes);
        bytes.putInt(footer + 28, (int) Crc32c.of(all, footer, 28));
        Files.write(file, all);
    }

    /** Returns the bytes before a body of this length, without the body. */
    public static byte[] announcing(Codec codec, int rawLength, int bodyLength) {
        byte[] prefix = new byte[codec.envelope().prefixLength()];
        codec.envelope().write(new FrameHeader(codec, 0, rawLength, bodyLength, Checksum.CRC32C, 0), prefix);
        return prefix;
    }
}
