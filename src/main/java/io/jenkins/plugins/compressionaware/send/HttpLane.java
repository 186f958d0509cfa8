package io.jenkins.plugins.compressionaware.send;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.adapt.LaneWrite;
import io.jenkins.plugins.compressionaware.transfer.DirectLane;
import io.jenkins.plugins.compressionaware.transfer.EndpointConnection;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A direct lane: each request carries the frames that are ready, up to a limit. */
final class HttpLane implements DirectLane {
    private final FrameSource source;
    private final EndpointConnection connection;
    private final AtomicInteger bodyLimit;
    private final Consumer<LaneWrite> listener;
    /** Made before the heap may be full. */
    private final Runnable giveBack = this::giveBack;

    // guarded by this, like ended and delivered
    private final Deque<EncodedFrame> inHand = new ArrayDeque<>();
    private boolean ended;
    private long delivered;

    /**
     * @param bodyLimit most bytes of a body with several frames; shared by all lanes of a transfer, which lower it when a proxy refuses a body
     */
    HttpLane(FrameSource source, EndpointConnection connection, AtomicInteger bodyLimit, Consumer<LaneWrite> listener) {
        this.source = source;
        this.connection = connection;
        this.bodyLimit = bodyLimit;
        this.listener = listener;
    }

    @Override
    public void run() throws IOException, InterruptedException {
        for (FrameSource.Taken taken = source.takeForDirect(bodyLimit.get());
                taken != null;
                taken = source.takeForDirect(bodyLimit.get())) {
            takeInHand(taken.frames());
            long held = taken.heldNanos();
            long starved = taken.starvedNanos();
            for (List<EncodedFrame> body = body(); !body.isEmpty(); body = body()) {
                long start = System.nanoTime();
                if (post(body)) {
                    confirm(body);
                    listener.accept(new LaneWrite(length(body), System.nanoTime() - start, held, starved));
                    held = 0;
                    starved = 0;
                }
            }
        }
    }

    private synchronized void takeInHand(List<EncodedFrame> frames) {
        inHand.addAll(frames);
    }

    /** The first frames in hand that fit into a body; at least one if there is any. */
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

    /** Posts frames; false if fewer have to be tried. */
    private boolean post(List<EncodedFrame> body) throws IOException {
        try {
            connection.post(length(body), out -> {
                for (EncodedFrame frame : body) {
                    out.write(frame.bytes(), 0, frame.length());
                }
            });
            return true;
        } catch (EndpointConnection.WrongAnswerException e) {
            if (!e.isTooLarge() || body.size() == 1) {
                throw e;
            }
            int half = length(body) / 2;
            bodyLimit.accumulateAndGet(half, Math::min);
            return false;
        }
    }

    private synchronized void confirm(List<EncodedFrame> body) throws IOException {
        if (ended) {
            // the frames belong to another lane by now
            throw new IOException("the receipt came too late");
        }
        for (EncodedFrame frame : body) {
            inHand.remove();
            source.written(frame);
        }
        delivered += length(body);
    }

    private static int length(Collection<EncodedFrame> frames) {
        int length = 0;
        for (EncodedFrame frame : frames) {
            length += frame.length();
        }
        return length;
    }

    @Override
    public synchronized long delivered() {
        return delivered;
    }

    @Override
    @CheckForNull
    public synchronized Runnable end() {
        if (ended) {
            return null;
        }
        ended = true;
        return giveBack;
    }

    /** Returns the frames in work to the source; they do not change after the lane has ended. */
    private void giveBack() {
        source.directLaneEnds(inHand);
    }

    @Override
    public synchronized boolean isStalled() {
        // a lane with nothing in hand may be about to take frames, which only its own thread can give back
        return !inHand.isEmpty() && connection.isStalled();
    }
}
