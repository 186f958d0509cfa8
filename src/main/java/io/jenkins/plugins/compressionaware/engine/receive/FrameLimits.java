package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.codec.CorruptFrameException;
import io.jenkins.plugins.compressionaware.engine.codec.FrameEnvelope;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;

/** Limits for the lengths in a frame header, checked before memory is allocated for the frame. */
final class FrameLimits {
    private FrameLimits() {}

    /** Returns the length of the longest body that a frame may have, bytes. No codec expands a block by more. */
    private static int maxBody(int maxBlock) {
        return maxBlock + maxBlock / 8 + 1024;
    }

    /** Returns the length of the longest frame that a block may have, bytes. */
    static int maxFrame(int maxBlock) {
        return maxBody(maxBlock) + FrameEnvelope.GZIP_EXTRA_FIELD.prefixLength();
    }

    /** Throws an exception if a header exceeds the limits. */
    static void check(FrameHeader announced, int maxBlock) throws CorruptFrameException {
        if (announced.rawLength() < 0 || announced.rawLength() > maxBlock) {
            throw new CorruptFrameException(
                    "a block of " + announced.rawLength() + " bytes, more than the agreed " + maxBlock);
        }
        if (announced.bodyLength() <= 0 || announced.bodyLength() > maxBody(maxBlock)) {
            throw new CorruptFrameException(
                    "a frame of " + announced.bodyLength() + " bytes for a block of " + maxBlock);
        }
    }
}
