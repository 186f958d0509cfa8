package io.jenkins.plugins.compressionaware.engine.receive;

import java.io.IOException;

/** Supplies frames in sequence order, up to the end frame. Not thread-safe. */
interface OrderedFrames {
    /** Returns the next frame; null if it has not arrived yet. Throws an exception if no further frame can arrive. */
    ReceivedFrame poll() throws IOException, InterruptedException;

    /** Waits for the next frame and returns it. Throws an exception if no further frame can arrive. */
    ReceivedFrame take() throws IOException, InterruptedException;

    /** Releases the memory of a consumed frame. Frames must be released in sequence order. */
    void release(ReceivedFrame frame);
}
