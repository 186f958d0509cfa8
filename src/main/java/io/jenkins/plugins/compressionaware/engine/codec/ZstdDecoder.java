package io.jenkins.plugins.compressionaware.engine.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Decodes bodies that are one zstd frame of the current format; the library would also read several frames, skippable frames, and older
 * formats with rarely used native code. The library rejects content larger than the announced length.
 */
final class ZstdDecoder implements BlockDecoder {
    private final ZstdDecompressCtx context = new ZstdDecompressCtx();

    @Override
    public void decode(byte[] body, int bodyOffset, int bodyLength, byte[] raw, int rawLength)
            throws CorruptFrameException {
        try {
            if (bodyLength < Integer.BYTES
                    || ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN).getInt(bodyOffset)
                            != UncompressedCodec.MAGIC
                    || Zstd.findFrameCompressedSize(body, bodyOffset, bodyLength) != bodyLength) {
                throw new CorruptFrameException("the body is not one zstd frame");
            }
            int decoded = context.decompressByteArray(raw, 0, rawLength, body, bodyOffset, bodyLength);
            if (decoded != rawLength) {
                throw new CorruptFrameException("zstd frame holds " + decoded + " bytes instead of " + rawLength);
            }
        } catch (ZstdException e) {
            throw new CorruptFrameException("zstd frame is damaged", e);
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
