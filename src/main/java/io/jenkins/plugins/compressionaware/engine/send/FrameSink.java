package io.jenkins.plugins.compressionaware.engine.send;

import java.io.IOException;
import java.util.concurrent.Future;

/** Takes frames in the order of their numbers. */
interface FrameSink {
    /**
     * Takes the next frame; waits while there are as many as memory allows. Called by one thread.
     *
     * @param frame     may still be in the making
     * @param rawLength of its block, bytes
     * @throws IOException if an earlier frame could not be made or sent
     */
    void put(Future<EncodedFrame> frame, int rawLength) throws IOException, InterruptedException;

    /** An array for a frame of up to {@code length} bytes, possibly that of an earlier frame. Any thread may call. */
    byte[] borrowBuffer(int length);
}
