package io.jenkins.plugins.compressionaware.engine.receive;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;

/** Concatenates the frames of bootstrap calls and, unless the end frame is among them, the frames of the lanes. Not thread-safe. */
final class BootstrapThenLaneFrames implements OrderedFrames {
    /** Bytes that are parsed at a time: a call may carry many small frames, each of which needs more heap than its bytes. */
    private static final int SLICE = 8 << 10;

    private final FrameParser bootstrap;
    private byte[] bytes = {};
    private int parsed;
    private final OrderedFrames laneFrames;
    private boolean bootstrapEnded;
    private long unreleased;

    BootstrapThenLaneFrames(
            BootstrapFrames bootstrap, OrderedFrames laneFrames, ReceiveProgress progress, int maxBlock) {
        this.laneFrames = laneFrames;
        this.bootstrap = new FrameParser(
                (frames, mayWait) -> {
                    if (parsed == bytes.length && mayWait) {
                        progress.setWaiting(true);
                        byte[] next = bootstrap.next();
                        progress.setWaiting(false);
                        if (next == null) {
                            return false;
                        }
                        bytes = next;
                        parsed = 0;
                    }
                    int slice = Math.min(SLICE, bytes.length - parsed);
                    frames.write(bytes, parsed, slice);
                    parsed += slice;
                    return mayWait || slice > 0;
                },
                maxBlock);
    }

    @Override
    @CheckForNull
    public ReceivedFrame next(boolean mayWait) throws IOException, InterruptedException {
        ReceivedFrame frame = bootstrapEnded ? null : bootstrap.next(mayWait);
        if (frame != null) {
            unreleased++;
            return frame;
        }
        bootstrapEnded |= mayWait;
        return bootstrapEnded ? laneFrames.next(mayWait) : null;
    }

    @Override
    public void release(ReceivedFrame frame) {
        if (unreleased == 0) {
            laneFrames.release(frame);
        } else {
            unreleased--;
            bootstrap.release(frame);
        }
    }
}
