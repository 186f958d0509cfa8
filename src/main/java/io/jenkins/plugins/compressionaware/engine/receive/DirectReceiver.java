package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.codec.CorruptFrameException;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Receives the requests of all direct lanes of one transfer, on the controller. Each request contains whole frames. Thread-safe. */
@Restricted(NoExternalUse.class)
public final class DirectReceiver {
    private final FrameReorderBuffer queue;
    private final int maxBlock;

    DirectReceiver(FrameReorderBuffer queue, int maxBlock) {
        this.queue = queue;
        this.maxBlock = maxBlock;
    }

    /** Returns the length of the longest accepted body, bytes: several frames up to {@link DirectLaneOffer#MAX_BODY}, or a single frame. */
    public int maxLength() {
        return Math.max(DirectLaneOffer.MAX_BODY, FrameCodec.maxFrameLength(maxBlock));
    }

    /**
     * Queues the frames of a request after the same checks as frames of a stream. Waits only for the body's bytes.
     *
     * @param length of the body, bytes, at most {@link #maxLength}
     * @throws IOException if the body is truncated, contains anything but whole frames, or arrives after the transfer. Whole frames before the failure stay
     *     queued; the sender gets no receipt and may send these frames again.
     */
    public void take(InputStream body, int length) throws IOException {
        // not reserved with the header: after a failed request, the frame arrives over another lane
        FrameAssembler frames = new FrameAssembler(maxBlock, (header, frameLength) -> true);
        for (int left = length; left > 0; ) {
            // a slow request must not outlive its transfer
            queue.checkOpen();
            int n = body.read(frames.target(), frames.position(), Math.min(left, frames.wanted()));
            if (n < 0) {
                throw new EOFException("the request's body broke off");
            }
            left -= n;
            if (frames.advance(n)) {
                put(frames.take());
            }
        }
        if (!frames.isBetweenFrames()) {
            throw new CorruptFrameException("a frame that is longer than its request");
        }
    }

    private void put(ReceivedFrame frame) throws IOException {
        try {
            if (queue.reserve(frame.header().sequence(), frame.length())) {
                queue.put(frame);
            }
        } catch (Throwable e) { // with a full heap, the frame may be booked without being queued
            queue.fail(e);
            throw e;
        }
    }
}
