package io.jenkins.plugins.compressionaware.engine.receive;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;

/** Supplies frames in sequence order, up to the end frame. Not thread-safe. */
interface OrderedFrames {
    /**
     * Returns the next frame.
     *
     * @param mayWait whether to wait until a frame arrives
     * @return null if no frame is available now or, with {@code mayWait}, at all
     * @throws IOException if the transfer has failed
     */
    @CheckForNull
    ReceivedFrame next(boolean mayWait) throws IOException, InterruptedException;

    /** Releases the memory of a consumed frame. Frames must be released in sequence order. */
    void release(ReceivedFrame frame);
}
