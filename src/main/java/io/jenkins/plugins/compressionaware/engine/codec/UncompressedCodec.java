package io.jenkins.plugins.compressionaware.engine.codec;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A zstd frame that consists of raw blocks only, so that {@code zstd -d} opens it and neither end needs a codec library.
 * Layout: RFC 8878, sections 3.1.1.1 (frame header) and 3.1.1.2 (blocks).
 */
final class UncompressedCodec implements BlockEncoder, BlockDecoder {
    /** First bytes of every zstd frame. */
    static final int MAGIC = 0xFD2FB528;

    /** Single segment, 4 byte content size, no checksum, no dictionary. */
    private static final byte DESCRIPTOR = (byte) 0b1010_0000;

    private static final int FRAME_HEADER = 4 + 1 + 4;
    private static final int BLOCK_HEADER = 3;

    /** Block_Maximum_Size of the format, bytes. */
    private static final int MAX_BLOCK = 128 * 1024;

    @Override
    public int maxEncodedLength(int rawLength) {
        return FRAME_HEADER + blocks(rawLength) * BLOCK_HEADER + rawLength;
    }

    private static int blocks(int rawLength) {
        return Math.max(1, (rawLength + MAX_BLOCK - 1) / MAX_BLOCK);
    }

    @Override
    public int encode(byte[] raw, int rawLength, byte[] target, int targetOffset) {
        return encode(raw, 0, rawLength, target, targetOffset);
    }

    /** Encodes a block that may be at the end of the target itself: it moves towards the front part by part. */
    static int encode(byte[] raw, int rawOffset, int rawLength, byte[] target, int targetOffset) {
        ByteBuffer out = ByteBuffer.wrap(target, targetOffset, target.length - targetOffset)
                .order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(MAGIC).put(DESCRIPTOR).putInt(rawLength);
        int done = 0;
        do {
            int size = Math.min(MAX_BLOCK, rawLength - done);
            putBlockHeader(out, size, done + size == rawLength);
            System.arraycopy(raw, rawOffset + done, target, out.position(), size);
            out.position(out.position() + size);
            done += size;
        } while (done < rawLength);
        return out.position() - targetOffset;
    }

    private static void putBlockHeader(ByteBuffer out, int size, boolean last) {
        int header = size << 3 | (last ? 1 : 0);
        out.put((byte) header).put((byte) (header >> 8)).put((byte) (header >> 16));
    }

    @Override
    public void decode(byte[] body, int bodyOffset, int bodyLength, byte[] raw, int rawLength)
            throws CorruptFrameException {
        if (bodyLength != maxEncodedLength(rawLength)) {
            throw new CorruptFrameException("uncompressed frame has " + bodyLength + " bytes for " + rawLength);
        }
        ByteBuffer in = ByteBuffer.wrap(body, bodyOffset, bodyLength).order(ByteOrder.LITTLE_ENDIAN);
        if (in.getInt() != MAGIC || in.get() != DESCRIPTOR || in.getInt() != rawLength) {
            throw new CorruptFrameException("uncompressed frame has a wrong header");
        }
        int done = 0;
        do {
            int size = Math.min(MAX_BLOCK, rawLength - done);
            int header = (in.get() & 0xff) | (in.get() & 0xff) << 8 | (in.get() & 0xff) << 16;
            if (header != (size << 3 | (done + size == rawLength ? 1 : 0))) {
                throw new CorruptFrameException("uncompressed frame has a wrong block header");
            }
            in.get(raw, done, size);
            done += size;
        } while (done < rawLength);
    }

    @Override
    public void close() {}
}
