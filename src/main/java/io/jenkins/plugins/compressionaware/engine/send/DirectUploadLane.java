package io.jenkins.plugins.compressionaware.engine.send;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import io.jenkins.plugins.compressionaware.engine.http.DirectLane;
import io.jenkins.plugins.compressionaware.engine.http.HttpLaneConnection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** A direct lane that sends frames: each request contains the frames that are ready, up to a limit. */
final class DirectUploadLane extends DirectLane<List<EncodedFrame>> {
    private final FrameDispatcher dispatcher;
    private final AtomicInteger bodyLimit;
    private final Consumer<LaneWrite> listener;

    // used only by the lane's thread
    private long creditWaitNanos;
    private long frameWaitNanos;

    /** @param bodyLimit maximum bytes of a body with several frames; the lanes of a transfer share it and lower it when a proxy rejects a body */
    DirectUploadLane(
            FrameDispatcher dispatcher,
            HttpLaneConnection connection,
            AtomicInteger bodyLimit,
            Consumer<LaneWrite> listener) {
        super(connection);
        this.dispatcher = dispatcher;
        this.bodyLimit = bodyLimit;
        this.listener = listener;
    }

    @Override
    @CheckForNull
    protected List<EncodedFrame> take() throws IOException, InterruptedException {
        FrameDispatcher.Batch taken = dispatcher.takeForDirect(bodyLimit.get());
        if (taken == null) {
            return null;
        }
        creditWaitNanos = taken.creditWaitNanos();
        frameWaitNanos = taken.frameWaitNanos();
        // not copied: with a full heap, the frames would be lost
        return taken.frames();
    }

    @Override
    protected void deliver(List<EncodedFrame> frames, HttpLaneConnection connection) throws IOException {
        while (!frames.isEmpty()) {
            List<EncodedFrame> body = new ArrayList<>();
            int length = 0;
            for (EncodedFrame frame : frames) {
                if (!body.isEmpty() && length + frame.length() > bodyLimit.get()) {
                    break;
                }
                body.add(frame);
                length += frame.length();
            }
            long start = System.nanoTime();
            if (post(body, length, connection)) {
                long took = System.nanoTime() - start;
                confirm(frames, body.size(), length, took);
                listener.accept(new LaneWrite(length, took, creditWaitNanos, frameWaitNanos));
                creditWaitNanos = 0;
                frameWaitNanos = 0;
            }
        }
    }

    /** Sends frames in one request. Returns false if the body is too large, so that the caller must send fewer. */
    private boolean post(List<EncodedFrame> body, int length, HttpLaneConnection connection) throws IOException {
        try {
            connection.post(length, out -> {
                for (EncodedFrame frame : body) {
                    out.write(frame.bytes(), 0, frame.length());
                }
            });
            return true;
        } catch (HttpLaneConnection.WrongAnswerException e) {
            if (!e.isTooLarge() || body.size() == 1) {
                throw e;
            }
            bodyLimit.accumulateAndGet(length / 2, Math::min);
            return false;
        }
    }

    private synchronized void confirm(List<EncodedFrame> frames, int count, int length, long nanos) throws IOException {
        confirm(length);
        dispatcher.delivered(frames, count, length, nanos);
    }

    @Override
    protected void giveBack(@CheckForNull List<EncodedFrame> undelivered) {
        dispatcher.removeDirectLane(undelivered == null ? List.of() : undelivered);
    }
}
