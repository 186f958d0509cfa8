package io.jenkins.plugins.compressionaware.engine.send;

import java.io.IOException;
import java.util.concurrent.Future;

/** Accepts frames in sequence order. */
@FunctionalInterface
interface FrameSink {
    /**
     * Accepts the next frame; waits while the sink holds its maximum number of frames. Called by one thread.
     *
     * @param frame     frame that may be unfinished
     * @param rawLength length of its block, bytes
     * @throws IOException if an earlier frame could not be encoded or sent
     */
    void put(Future<EncodedFrame> frame, int rawLength) throws IOException, InterruptedException;
}
