package io.jenkins.plugins.compressionaware.engine.receive;

import java.io.IOException;

/** Frames in the order of their numbers, up to the end frame. Used by one thread. */
interface OrderedFrames {
    /**
     * The next frame, or null if it is not there yet.
     *
     * @throws IOException if none will come any more
     */
    ReceivedFrame poll() throws IOException, InterruptedException;

    /**
     * The next frame. Waits for it.
     *
     * @throws IOException if none will come any more
     */
    ReceivedFrame take() throws IOException, InterruptedException;

    /** Releases a frame that need not be kept any longer. Frames are consumed in their order. */
    void release(ReceivedFrame frame);
}
