package io.jenkins.plugins.compressionaware.engine.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;

/** Writes one zstd frame per block, without zstd's own checksum because the frame header's checksum covers the same bytes. */
final class ZstdEncoder implements BlockEncoder {
    private final ZstdCompressCtx context = new ZstdCompressCtx();

    ZstdEncoder(int level) {
        context.setLevel(level);
    }

    @Override
    public int maxEncodedLength(int rawLength) {
        return Math.toIntExact(Zstd.compressBound(rawLength));
    }

    @Override
    public int encode(byte[] raw, int rawLength, byte[] target, int targetOffset) {
        return context.compressByteArray(target, targetOffset, target.length - targetOffset, raw, 0, rawLength);
    }

    @Override
    public void close() {
        context.close();
    }
}
