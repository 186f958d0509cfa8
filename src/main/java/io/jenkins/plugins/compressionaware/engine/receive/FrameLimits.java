package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.codec.CorruptFrameException;
import io.jenkins.plugins.compressionaware.engine.codec.FrameEnvelope;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;

/** Limits on what a frame may announce, checked before any memory is taken for it. */
final class FrameLimits {
    private FrameLimits() {}

    /** Bytes of the longest body that the frame of a block may have: no codec here lets a block grow by more. */
    private static int maxBody(int maxBlock) {
        return maxBlock + maxBlock / 8 + 1024;
    }

    /** Bytes of the longest frame that a block may have. */
    static int maxFrame(int maxBlock) {
        return maxBody(maxBlock) + FrameEnvelope.GZIP_EXTRA_FIELD.prefixLength();
    }

    static void check(FrameHeader announced, int maxBlock) throws CorruptFrameException {
        if (announced.rawLength() < 0 || announced.rawLength() > maxBlock) {
            throw new CorruptFrameException(
                    "a block of " + announced.rawLength() + " bytes, more than the agreed " + maxBlock);
        }
        // or its sender could go on for ever: an empty block counts towards no limit
        if (announced.rawLength() == 0 && !announced.isEndFrame()) {
            throw new CorruptFrameException("a block without bytes");
        }
        if (announced.bodyLength() <= 0 || announced.bodyLength() > maxBody(maxBlock)) {
            throw new CorruptFrameException(
                    "a frame of " + announced.bodyLength() + " bytes for a block of " + maxBlock);
        }
    }
}
