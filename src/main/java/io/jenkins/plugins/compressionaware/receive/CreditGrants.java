package io.jenkins.plugins.compressionaware.receive;

import io.jenkins.plugins.compressionaware.transfer.Credit;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;

/** The receiver's side of the {@link Credit}. Used by one thread. */
final class CreditGrants {
    /** The receiver speaks once per so many bytes. */
    private static final int STEP = Credit.WINDOW / 16;

    /** Until so many bytes it speaks more often: the sender learns from it how fast the link is. */
    private static final int START = 1 << 20;

    /** Bytes between two messages until then. All that a sender has left unread at its end stays below a kilobyte. */
    private static final int EARLY_STEP = START / 8;

    private final OutputStream out;
    private long told;
    private boolean senderGone;

    CreditGrants(OutputStream out) {
        this.out = out;
    }

    /**
     * Tells the sender, if it is time to. One that has sent everything no longer listens, so a failure to tell it is none of the
     * transfer.
     *
     * @throws InterruptedIOException with the thread's interrupt status set
     */
    void consumed(Credit.Grant grant) throws InterruptedIOException {
        if (senderGone || grant.wireBytes() - told < (grant.wireBytes() <= START ? EARLY_STEP : STEP)) {
            return;
        }
        told = grant.wireBytes();
        try {
            out.write(grant.toBytes());
        } catch (InterruptedIOException e) {
            Thread.currentThread().interrupt();
            throw e;
        } catch (IOException e) {
            senderGone = true;
        }
    }
}
