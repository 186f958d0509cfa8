package io.jenkins.plugins.compressionaware.send;

/**
 * A frame on its way out.
 *
 * @param bytes  the frame at their start
 * @param length of the frame, bytes
 */
record EncodedFrame(byte[] bytes, int length) {}
