package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;

/**
 * A frame that has arrived whole. Its header has been checked, its body has not.
 *
 * @param bytes the whole frame as it arrived, prefix and body; not to be changed
 */
record ReceivedFrame(FrameHeader header, byte[] bytes) {
    int length() {
        return bytes.length;
    }
}
