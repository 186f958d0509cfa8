package io.jenkins.plugins.compressionaware.send;

import java.io.IOException;

/** One of the ways that frames take to the receiver. */
interface Lane {
    /**
     * Sends what the source has for this kind of lane, until there is no more.
     *
     * @throws IOException if this lane or the transfer cannot go on
     */
    void sendAll(FrameSource source) throws IOException, InterruptedException;
}
