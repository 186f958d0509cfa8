package io.jenkins.plugins.compressionaware.engine.codec;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Writes the rest of a gzip member after its header (RFC 1952): deflate data, CRC-32, length. {@link java.util.zip.GZIPOutputStream} cannot
 * write the extra field that holds the frame header.
 */
final class GzipEncoder implements BlockEncoder {
    static final int TRAILER = 8;

    private final Deflater deflater;
    private final CRC32 crc = new CRC32();

    GzipEncoder(int level) {
        deflater = new Deflater(level, true);
    }

    @Override
    public int maxEncodedLength(int rawLength) {
        // compressBound() of zlib 1.2, plus a margin for its larger deflateBound() with unusual settings
        return rawLength + (rawLength >> 12) + (rawLength >> 14) + (rawLength >> 25) + 64 + TRAILER;
    }

    @Override
    public int encode(byte[] raw, int rawLength, byte[] target, int targetOffset) {
        deflater.reset();
        deflater.setInput(raw, 0, rawLength);
        deflater.finish();
        int length = deflater.deflate(target, targetOffset, target.length - targetOffset);
        if (!deflater.finished()) {
            throw new IllegalStateException(
                    "deflate needed more than " + maxEncodedLength(rawLength) + " bytes for " + rawLength);
        }
        crc.reset();
        crc.update(raw, 0, rawLength);
        ByteBuffer.wrap(target, targetOffset + length, TRAILER)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt((int) crc.getValue())
                .putInt(rawLength);
        return length + TRAILER;
    }

    @Override
    public void close() {
        deflater.end();
    }
}
