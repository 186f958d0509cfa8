package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.transfer.DirectOffer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/** A direct lane: each request carries the frames that are there, up to a few. Used by one thread. */
final class HttpLane implements Lane {
    private final EndpointConnection request;
    private final Listener listener;
    private final AtomicLong delivered;
    private final List<EncodedFrame> kept = new ArrayList<>();

    /**
     * @param delivered counts the bytes that were acknowledged
     */
    HttpLane(EndpointConnection request, Listener listener, AtomicLong delivered) {
        this.request = request;
        this.listener = listener;
        this.delivered = delivered;
    }

    @Override
    public void sendAll(FrameSource source) throws IOException, InterruptedException, ExecutionException {
        for (FrameSource.Taken taken = source.take(); taken.frame() != null; taken = source.take()) {
            int length = 0;
            for (EncodedFrame frame = taken.frame();
                    frame != null;
                    frame = source.takeNow(DirectOffer.MAX_BODY - length)) {
                kept.add(frame);
                length += frame.length();
            }
            long start = System.nanoTime();
            try {
                request.post(kept);
            } catch (IOException e) {
                throw new BrokenLaneException(e);
            }
            listener.sent(length, System.nanoTime() - start, taken.heldNanos(), taken.starvedNanos());
            delivered.addAndGet(length);
            kept.forEach(source::delivered);
            kept.clear();
        }
    }

    /** The frames that it has taken and that may not have been delivered. */
    List<EncodedFrame> undelivered() {
        return kept;
    }

    /** The lane does not work; everything else may. */
    static final class BrokenLaneException extends IOException {
        private static final long serialVersionUID = 1L;

        BrokenLaneException(IOException cause) {
            super(cause);
        }
    }
}
