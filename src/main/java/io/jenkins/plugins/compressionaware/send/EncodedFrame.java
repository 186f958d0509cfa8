package io.jenkins.plugins.compressionaware.send;

/**
 * A frame on its way out.
 *
 * @param bytes     the frame at their start
 * @param length    of the frame, bytes
 * @param givenBack whether a lane has had it before: that lane may still be writing from the array, so it is not used for another frame
 */
record EncodedFrame(byte[] bytes, int length, boolean givenBack) {
    EncodedFrame(byte[] bytes, int length) {
        this(bytes, length, false);
    }

    /** The same frame, after a lane has given it back. */
    EncodedFrame onceMore() {
        return new EncodedFrame(bytes, length, true);
    }
}
