package io.jenkins.plugins.compressionaware.engine.send;

/**
 * An encoded frame that is sent or waits to be sent.
 *
 * @param bytes     array that begins with the frame
 * @param length    length of the frame, bytes
 * @param returned  whether a direct lane returned the frame; that lane may still be writing the array, so no other frame may use it
 */
record EncodedFrame(byte[] bytes, int length, boolean returned) {
    EncodedFrame(byte[] bytes, int length) {
        this(bytes, length, false);
    }

    EncodedFrame asReturned() {
        return new EncodedFrame(bytes, length, true);
    }
}
