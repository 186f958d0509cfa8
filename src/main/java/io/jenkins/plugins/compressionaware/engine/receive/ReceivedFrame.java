package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;

/**
 * A complete frame as received. Its header has been checked, its body has not.
 *
 * @param bytes the whole frame, prefix and body; must not be modified
 */
record ReceivedFrame(FrameHeader header, byte[] bytes) {
    int length() {
        return bytes.length;
    }
}
