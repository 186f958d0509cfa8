package io.jenkins.plugins.compressionaware.engine.send;

/**
 * A frame on its way out.
 *
 * @param bytes     array that begins with the frame
 * @param length    of the frame, bytes
 * @param returned whether a lane has given it back: that lane may still be writing from the array, so no other frame may use it
 */
record EncodedFrame(byte[] bytes, int length, boolean returned) {
    EncodedFrame(byte[] bytes, int length) {
        this(bytes, length, false);
    }

    /** The same frame, after a lane has given it back. */
    EncodedFrame asReturned() {
        return new EncodedFrame(bytes, length, true);
    }
}
