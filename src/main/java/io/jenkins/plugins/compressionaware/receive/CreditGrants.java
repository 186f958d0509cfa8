package io.jenkins.plugins.compressionaware.receive;

import io.jenkins.plugins.compressionaware.adapt.Selector;
import io.jenkins.plugins.compressionaware.transfer.Credit;

/** Decides when the sender is to hear of its {@link Credit}. Used by one thread. */
final class CreditGrants {
    /** The receiver speaks once per so many bytes. */
    private static final int STEP = Credit.WINDOW / 16;

    /** Until so many bytes it speaks more often: the sender learns from it that the link is no slow one. */
    private static final int START = Selector.STREAM_WINDOW;

    /** Bytes between two messages until then. */
    private static final int EARLY_STEP = START / 8;

    private final GrantTeller teller;
    private final long least;
    private long toldBytes;
    private long toldLimit;

    /**
     * @param least     what the longest frame needs, bytes of heap
     * @param toldLimit what the sender knows already
     */
    CreditGrants(GrantTeller teller, long least, long toldLimit) {
        this.teller = teller;
        this.least = least;
        this.toldLimit = toldLimit;
    }

    /**
     * Tells the sender, if it is time to. Never waits for it.
     *
     * @param consumed  heap of the frames consumed since the start
     * @param wireBytes their bytes
     * @param limit     what all frames since the start may take up
     */
    void consumed(long consumed, long wireBytes, long limit) {
        boolean step = wireBytes - toldBytes >= (wireBytes <= START ? EARLY_STEP : STEP);
        if (step || runsShort(consumed, limit)) {
            toldBytes = wireBytes;
            toldLimit = limit;
            teller.tell(new Credit.Grant(limit));
        }
    }

    // a sender that lacks credit for its longest frame may be waiting for it now, and one with half a window soon
    private boolean runsShort(long consumed, long limit) {
        long left = toldLimit - consumed;
        return limit > toldLimit && (left < least || left < (limit - consumed) / 2);
    }
}
