package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.adapt.LaneWrite;
import io.jenkins.plugins.compressionaware.transfer.EndpointConnection;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A direct lane: each request carries the frames that are there, up to a few. Used by one thread, but for {@link #endIfStalled}: that thread may be
 * where nothing can reach it, as while it resolves a name, and the frames in its hands must not wait for that.
 */
final class HttpLane implements Lane {
    private final EndpointConnection connection;
    private final AtomicInteger bodyLimit;
    private final SendListener listener;

    // guarded by this, as are the next two
    private final Deque<EncodedFrame> inHand = new ArrayDeque<>();
    private boolean ended;
    private long delivered;

    /**
     * @param bodyLimit bytes of a body with several frames; all lanes of a transfer share it, and lower it when a proxy takes no such body
     */
    HttpLane(EndpointConnection connection, AtomicInteger bodyLimit, SendListener listener) {
        this.connection = connection;
        this.bodyLimit = bodyLimit;
        this.listener = listener;
    }

    @Override
    public void sendAll(FrameSource source) throws IOException, InterruptedException {
        for (FrameSource.Taken taken = source.takeForDirect(bodyLimit.get());
                taken != null;
                taken = source.takeForDirect(bodyLimit.get())) {
            takeInHand(taken.frames());
            long held = taken.heldNanos();
            long starved = taken.starvedNanos();
            for (List<EncodedFrame> body = body(); !body.isEmpty(); body = body()) {
                long start = System.nanoTime();
                if (post(body)) {
                    confirm(body, source);
                    listener.sent(new LaneWrite(length(body), System.nanoTime() - start, held, starved));
                    held = 0;
                    starved = 0;
                }
            }
        }
    }

    private synchronized void takeInHand(List<EncodedFrame> frames) {
        inHand.addAll(frames);
    }

    /** The first of the frames in hand: as many as a body may have, or one. */
    private synchronized List<EncodedFrame> body() {
        List<EncodedFrame> body = new ArrayList<>();
        int length = 0;
        for (EncodedFrame frame : inHand) {
            length += frame.length();
            if (!body.isEmpty() && length > bodyLimit.get()) {
                break;
            }
            body.add(frame);
        }
        return body;
    }

    /** False if it is to be tried again with less. */
    private boolean post(List<EncodedFrame> body) throws IOException {
        try {
            connection.post(length(body), out -> {
                for (EncodedFrame frame : body) {
                    out.write(frame.bytes(), 0, frame.length());
                }
            });
            return true;
        } catch (EndpointConnection.TooLargeException e) {
            if (body.size() == 1) {
                throw e;
            }
            int half = length(body) / 2;
            bodyLimit.accumulateAndGet(half, Math::min);
            return false;
        }
    }

    private synchronized void confirm(List<EncodedFrame> body, FrameSource source) throws IOException {
        if (ended) {
            // the frames are somebody else's by now
            throw new IOException("the receipt came too late");
        }
        for (int i = 0; i < body.size(); i++) {
            inHand.remove();
        }
        delivered += length(body);
        source.receipt(body);
    }

    private static int length(Collection<EncodedFrame> frames) {
        int length = 0;
        for (EncodedFrame frame : frames) {
            length += frame.length();
        }
        return length;
    }

    /** Bytes that the receiver has acknowledged. */
    synchronized long delivered() {
        return delivered;
    }

    /**
     * Ends the lane for its source: from now on nothing it does counts. Called by the lane's own thread, or in its stead if that has not begun.
     *
     * @return the frames that may not have been delivered; null if it had ended before
     */
    synchronized List<EncodedFrame> end() {
        if (ended) {
            return null;
        }
        ended = true;
        return List.copyOf(inHand);
    }

    /** The same by any thread, if a request has run longer than it may; else null. */
    synchronized List<EncodedFrame> endIfStalled() {
        // a lane with empty hands may be about to take frames, which only its own thread can give back
        return !inHand.isEmpty() && connection.isStalled() ? end() : null;
    }
}
