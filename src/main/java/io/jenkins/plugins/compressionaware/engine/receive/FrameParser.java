package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import java.io.IOException;
import java.io.OutputStream;

/** Parses frames from the bytes of one source in order, such as a file. Used by one thread. */
final class FrameParser implements OrderedFrames {
    private final Source source;
    private final long window;
    private final FrameReorderBuffer queue;
    private final LaneReceiver lane;
    private long consumed;
    private long waitingNanos;

    /** The source of the bytes. */
    @FunctionalInterface
    interface Source {
        /**
         * Writes the next bytes, as many as suit it.
         *
         * @param mayWait whether to wait for them
         * @return false if there are none now or, where it may wait, no more at all
         */
        boolean writeTo(OutputStream frames, boolean mayWait) throws IOException, InterruptedException;
    }

    FrameParser(Source source, int maxBlock) {
        this.source = source;
        // nobody waits for credit here: room for the frames that are decoded ahead, and the one that began with the
        // last one's end
        window = Math.max(
                Credit.WINDOW,
                (DecodePipeline.READ_AHEAD_BLOCKS + 1) * Credit.heapCost(FrameLimits.maxFrame(maxBlock)));
        queue = new FrameReorderBuffer(window);
        lane = new LaneReceiver(queue, maxBlock);
    }

    @Override
    public ReceivedFrame poll() throws IOException, InterruptedException {
        return next(false);
    }

    @Override
    public ReceivedFrame take() throws IOException, InterruptedException {
        ReceivedFrame frame = next(true);
        if (frame == null) {
            throw new IOException("the file ends in the middle of a block");
        }
        return frame;
    }

    /** The next frame; null if it is not there, or, where this may wait, if no more come. */
    ReceivedFrame next(boolean mayWait) throws IOException, InterruptedException {
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

    /** Time in which there was no frame to work on, nanoseconds. */
    long waitingNanos() {
        return waitingNanos;
    }
}
