package io.jenkins.plugins.compressionaware.engine.receive;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;

/** Concatenates the frames of bootstrap calls and, unless the end frame is among them, the frames of the lanes. Not thread-safe. */
final class BootstrapThenLaneFrames implements OrderedFrames {
    private final FrameParser bootstrap;
    private final OrderedFrames laneFrames;
    private boolean bootstrapEnded;
    private long unreleased;

    BootstrapThenLaneFrames(
            BootstrapFrames bootstrap, OrderedFrames laneFrames, ReceiveProgress progress, int maxBlock) {
        this.laneFrames = laneFrames;
        this.bootstrap = new FrameParser(
                (frames, mayWait) -> {
                    if (!mayWait) {
                        return false;
                    }
                    progress.setWaiting(true);
                    byte[] bytes = bootstrap.next();
                    progress.setWaiting(false);
                    if (bytes != null) {
                        frames.write(bytes);
                    }
                    return bytes != null;
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
