package io.jenkins.plugins.compressionaware.receive;

import io.jenkins.plugins.compressionaware.transfer.Credit;

/** The receiver's side of the {@link Credit}. Used by one thread. */
final class CreditGrants {
    /** The receiver speaks once per so many bytes. */
    private static final int STEP = Credit.WINDOW / 16;

    /** Until so many bytes it speaks more often: the sender learns from it how fast the link is. */
    private static final int START = 1 << 20;

    /** Bytes between two messages until then. All that a sender has left unread at its end stays below a kilobyte. */
    private static final int EARLY_STEP = START / 8;

    private final GrantTeller teller;
    private long told;

    CreditGrants(GrantTeller teller) {
        this.teller = teller;
    }

    /** Tells the sender, if it is time to. Never waits for it. */
    void consumed(Credit.Grant grant) {
        if (grant.wireBytes() - told >= (grant.wireBytes() <= START ? EARLY_STEP : STEP)) {
            told = grant.wireBytes();
            teller.tell(grant);
        }
    }
}
