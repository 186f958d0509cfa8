package io.jenkins.plugins.compressionaware.receive;

import io.jenkins.plugins.compressionaware.codec.FrameHeader;

/**
 * A frame that has arrived whole.
 *
 * @param length bytes of the whole frame
 */
record ArrivedFrame(FrameHeader header, byte[] body, int length) {}
