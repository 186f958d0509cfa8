package io.jenkins.plugins.compressionaware.engine.receive;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import java.io.IOException;
import java.io.OutputStream;

/** Parses frames from one sequential source of bytes, such as a file. Not thread-safe. */
final class FrameParser implements OrderedFrames {
    private final Source source;
    private final long window;
    private final FrameReorderBuffer queue;
    private final LaneReceiver lane;
    private long consumed;
    private long waitingNanos;

    @FunctionalInterface
    interface Source {
        /**
         * Writes some of the next bytes.
         *
         * @param mayWait whether to wait for bytes
         * @return false if no bytes are available now or, with {@code mayWait}, at all
         */
        boolean writeTo(OutputStream frames, boolean mayWait) throws IOException, InterruptedException;
    }

    FrameParser(Source source, int maxBlock) {
        this.source = source;
        // large enough for the frames decoded ahead, and for the next frame, which may begin in the same bytes
        window = Math.max(
                Credit.WINDOW,
                (DecodePipeline.READ_AHEAD_BLOCKS + 1) * Credit.heapCost(FrameCodec.maxFrameLength(maxBlock)));
        queue = new FrameReorderBuffer(window);
        lane = new LaneReceiver(queue, maxBlock);
    }

    @Override
    @CheckForNull
    public ReceivedFrame next(boolean mayWait) throws IOException, InterruptedException {
        long start = System.nanoTime();
        ReceivedFrame frame = queue.poll();
        while (frame == null && source.writeTo(lane, mayWait)) {
            frame = queue.poll();
        }
        waitingNanos += mayWait ? System.nanoTime() - start : 0;
        return frame;
    }

    @Override
    public void release(ReceivedFrame frame) {
        lane.recycle(frame.bytes());
        consumed += Credit.heapCost(frame.length());
        queue.setLimit(consumed + window);
    }

    /** Returns the time spent waiting for frames, nanoseconds. */
    long waitingNanos() {
        return waitingNanos;
    }
}
