package io.jenkins.plugins.compressionaware.codec;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;

/** Reads zstd frames into an array of the announced size; the library refuses larger content. */
final class ZstdDecoder implements BlockDecoder {
    private final ZstdDecompressCtx context = new ZstdDecompressCtx();

    @Override
    public void decode(byte[] body, int bodyOffset, int bodyLength, byte[] raw, int rawLength)
            throws CorruptFrameException {
        try {
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
