package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.adapt.LaneWrite;
import io.jenkins.plugins.compressionaware.transfer.Credit;

/** Hears what the lanes see. Called by any of their threads. */
interface SendListener {
    default void sent(LaneWrite write) {}

    /**
     * From now on other lanes work.
     *
     * @param count  at least 1
     * @param direct whether they are requests, not streams
     */
    default void lanes(int count, boolean direct) {}

    /** The receiver says what it has consumed. One thread at a time, in order. */
    default void told(Credit.Grant grant) {}
}
