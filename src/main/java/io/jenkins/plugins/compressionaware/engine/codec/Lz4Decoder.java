package io.jenkins.plugins.compressionaware.engine.codec;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;

/**
 * Decodes frames written by {@link Lz4Encoder}, and no other LZ4 frames. Uses only the library's plain Java, whose array accesses the JVM checks, so no native
 * code decodes the bytes of an agent.
 */
final class Lz4Decoder implements BlockDecoder {
    private static final LZ4SafeDecompressor DECOMPRESSOR =
            LZ4Factory.safeInstance().safeDecompressor();

    @Override
    public void decode(byte[] body, int bodyOffset, int bodyLength, byte[] raw, int rawLength)
            throws CorruptFrameException {
        int header = bodyOffset + Lz4Encoder.HEADER;
        int end = bodyOffset + bodyLength - Lz4Encoder.END_MARK;
        int start = rawLength == 0 ? header : header + Lz4Encoder.BLOCK_SIZE;
        ByteBuffer in = ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN);
        if (end < start
                || in.getInt(bodyOffset) != Lz4Encoder.MAGIC
                || (in.getInt(bodyOffset + Integer.BYTES) & 0xFFFFFF) != Lz4Encoder.DESCRIPTOR
                || in.getInt(end) != 0) {
            throw new CorruptFrameException("LZ4 frame has a wrong header or end mark");
        }
        int length = end - start;
        int size = rawLength == 0 ? 0 : in.getInt(header);
        if ((size & ~Lz4Encoder.UNCOMPRESSED) != length) {
            throw new CorruptFrameException("LZ4 frame has a wrong block size");
        }
        boolean compressed = size > 0;
        int decoded = compressed ? decompress(body, start, length, raw, rawLength) : length;
        if (decoded != rawLength) {
            throw new CorruptFrameException("LZ4 frame holds " + decoded + " bytes instead of " + rawLength);
        }
        if (!compressed) {
            System.arraycopy(body, start, raw, 0, length);
        }
    }

    private static int decompress(byte[] body, int start, int length, byte[] raw, int rawLength)
            throws CorruptFrameException {
        try {
            return DECOMPRESSOR.decompress(body, start, length, raw, 0, rawLength);
        } catch (LZ4Exception e) {
            throw new CorruptFrameException("LZ4 frame is damaged", e);
        }
    }
}
