package io.jenkins.plugins.compressionaware.send;

import java.io.IOException;
import java.util.concurrent.ExecutionException;

/** One of the ways that frames take to the receiver. */
interface Lane {
    /**
     * Sends what the source has for this kind of lane, until there is no more.
     *
     * @throws IOException        if the transfer cannot go on
     * @throws ExecutionException if a frame could not be made
     */
    void sendAll(FrameSource source) throws IOException, InterruptedException, ExecutionException;

    /** Hears of every piece that has been written. Called by any lane. */
    interface Listener {
        /** See {@link io.jenkins.plugins.compressionaware.adapt.Selector#sent}. */
        void sent(int wireLength, long writeNanos, long heldNanos, long starvedNanos);
    }
}
