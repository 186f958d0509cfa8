package io.jenkins.plugins.compressionaware.engine.send;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.util.Queue;

/**
 * An encoded frame that is sent or waits to be sent.
 *
 * @param bytes  array that begins with the frame
 * @param length length of the frame, bytes
 * @param pool   gets the array once the frame is sent; null if no other frame may use the array
 */
record EncodedFrame(byte[] bytes, int length, @CheckForNull Queue<byte[]> pool) {
    /** Returns the frame as a direct lane returned it. That lane may still be writing the array, so no other frame may use it. */
    EncodedFrame asReturned() {
        return new EncodedFrame(bytes, length, null);
    }

    /** Releases the array of a frame that was written or acknowledged. */
    void recycle() {
        if (pool != null) {
            pool.add(bytes);
        }
    }
}
