package io.jenkins.plugins.compressionaware.engine.receive;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Parses frames from one sequential source of bytes, such as a file. The frames must be numbered without gaps, so at most the frames of one write of the source
 * are held. Not thread-safe.
 */
final class FrameParser implements OrderedFrames {
    private final Source source;
    private final FrameReorderBuffer queue = new FrameReorderBuffer(Long.MAX_VALUE);
    private final LaneReceiver lane;
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
        lane = new LaneReceiver(queue, maxBlock, true);
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
    }

    /** Returns the time spent waiting for frames, nanoseconds. */
    long waitingNanos() {
        return waitingNanos;
    }
}
