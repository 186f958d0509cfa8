package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.flow.RemotingLimits;
import java.util.concurrent.TimeUnit;

/** Decides when to tell the sender its {@link Credit}. Used by one thread. */
final class CreditScheduler {
    /** Wire bytes between two messages. */
    private static final int GRANT_INTERVAL_BYTES = Credit.WINDOW / 16;

    /** Wire bytes up to which messages are more frequent: the sender learns from them that the link is not slow. */
    private static final int FAST_START_BYTES = RemotingLimits.STREAM_WINDOW;

    /** Wire bytes between two messages until then. */
    private static final int EARLY_STEP = FAST_START_BYTES / 8;

    /** Nanoseconds without a frame after which the newest grant is sent again, repeatedly, in case a message was lost. */
    private static final long AGAIN = TimeUnit.SECONDS.toNanos(30);

    private final CreditWriter teller;
    private final long least;
    private long toldBytes;
    private long toldLimit;
    private long nextTime = AGAIN;

    /**
     * @param least     what the longest frame needs, bytes of heap
     * @param toldLimit limit that the sender knows already
     */
    CreditScheduler(CreditWriter teller, long least, long toldLimit) {
        this.teller = teller;
        this.least = least;
        this.toldLimit = toldLimit;
    }

    /**
     * Tells the sender its credit if it is time to. Never waits for it.
     *
     * @param consumed  bytes of heap of the frames consumed since the start
     * @param wireBytes their wire bytes
     * @param limit     bytes of heap that all frames since the start may take up
     */
    void consumed(long consumed, long wireBytes, long limit) {
        boolean step = wireBytes - toldBytes >= (wireBytes <= FAST_START_BYTES ? EARLY_STEP : GRANT_INTERVAL_BYTES);
        if (step || isLow(consumed, limit)) {
            toldBytes = wireBytes;
            toldLimit = limit;
            teller.send(new Credit.Grant(limit));
        }
    }

    /**
     * Sends the newest grant again if it is time to. Called while the receiver has nothing to do. A write that fails repeatedly is no error: the
     * sender may have sent everything, over a link that still delivers it.
     *
     * @param limit  see {@link #consumed}
     * @param silent nanoseconds without a frame
     */
    void silent(long limit, long silent) {
        if (teller.hasFailed() || silent >= nextTime) {
            nextTime = silent + AGAIN;
            toldLimit = limit;
            teller.send(new Credit.Grant(limit));
        } else if (silent < AGAIN) { // a frame has arrived since the last grant
            nextTime = AGAIN;
        }
    }

    // a sender without credit for its longest frame may be waiting now, and one with less than half a window may soon
    private boolean isLow(long consumed, long limit) {
        long left = toldLimit - consumed;
        return limit > toldLimit && (left < least || left < (limit - consumed) / 2);
    }
}
