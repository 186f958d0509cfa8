package io.jenkins.plugins.compressionaware.engine.flow;

import java.util.concurrent.TimeUnit;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Decides when to send {@link Credit}: often at first, later once per mebibyte, earlier if the sender may run out. Not thread-safe. */
@Restricted(NoExternalUse.class)
public final class CreditScheduler {
    /** Wire bytes between two messages. */
    private static final int GRANT_INTERVAL_BYTES = Credit.WINDOW / 16;

    /** Wire bytes up to which messages are more frequent, because the sender infers from them that the link is not slow. */
    private static final int FAST_START_BYTES = Credit.STREAM_WINDOW;

    /** Wire bytes between two messages up to {@link #FAST_START_BYTES}. */
    private static final int EARLY_INTERVAL_BYTES = FAST_START_BYTES / 8;

    /** Nanoseconds without a frame after which the latest grant is sent again, repeatedly, because a message may have been lost. */
    private static final long RESEND_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final CreditWriter writer;
    private final long minWindow;
    private long sentAtBytes;
    private long sentLimit;
    private long resendAt = RESEND_NANOS;

    /**
     * @param minWindow bytes of heap that the longest frame needs
     * @param sentLimit limit that was already sent to the sender
     */
    public CreditScheduler(CreditWriter writer, long minWindow, long sentLimit) {
        this.writer = writer;
        this.minWindow = minWindow;
        this.sentLimit = sentLimit;
    }

    /**
     * Sends the latest credit if a message is due. Never blocks.
     *
     * @param consumed  bytes of heap of all frames consumed since the start
     * @param wireBytes length of these frames, bytes
     * @param limit     bytes of heap that all frames since the start may occupy
     */
    public void onConsumed(long consumed, long wireBytes, long limit) {
        boolean due = wireBytes - sentAtBytes
                >= (wireBytes <= FAST_START_BYTES ? EARLY_INTERVAL_BYTES : GRANT_INTERVAL_BYTES);
        if (due || isLow(consumed, limit)) {
            sentAtBytes = wireBytes;
            sentLimit = limit;
            writer.send(limit);
        }
    }

    /**
     * Sends the latest grant if the sender may be waiting for it, and again if it is due, or if the last write failed. Called repeatedly while no frame is
     * ready. All frames may have been consumed before this object existed. Repeated failures are not an error, because a sender that has sent its last
     * frame closes its end while a slow link still delivers.
     *
     * @param consumed see {@link #onConsumed}
     * @param silent   nanoseconds without a frame
     */
    public void onSilence(long consumed, long limit, long silent) {
        if (writer.hasFailed() || silent >= resendAt || isLow(consumed, limit)) {
            resendAt = silent + RESEND_NANOS;
            sentLimit = limit;
            writer.send(limit);
        } else if (silent < RESEND_NANOS) { // a frame has arrived since the last call
            resendAt = RESEND_NANOS;
        }
    }

    // a sender without credit for its longest frame may be waiting now; with less than half a window, it may wait
    // soon
    private boolean isLow(long consumed, long limit) {
        long remaining = sentLimit - consumed;
        return limit > sentLimit && (remaining < minWindow || remaining < (limit - consumed) / 2);
    }
}
