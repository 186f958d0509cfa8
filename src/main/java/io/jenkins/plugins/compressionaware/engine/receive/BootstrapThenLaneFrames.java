package io.jenkins.plugins.compressionaware.engine.receive;

import java.io.IOException;

/** The frames of an {@link BootstrapFrames} and then, unless the end frame was among them, those of another supply. */
final class BootstrapThenLaneFrames implements OrderedFrames {
    private final FrameParser opening;
    private final OrderedFrames others;
    private boolean over;
    private long taken;
    private long consumed;

    BootstrapThenLaneFrames(BootstrapFrames opening, OrderedFrames others, ReceiveProgress progress, int maxBlock) {
        this.others = others;
        this.opening = new FrameParser(
                (frames, mayWait) -> {
                    if (!mayWait) {
                        return false;
                    }
                    progress.setWaiting(true);
                    byte[] more = opening.next();
                    progress.setWaiting(false);
                    if (more != null) {
                        frames.write(more);
                    }
                    return more != null;
                },
                maxBlock);
    }

    @Override
    public ReceivedFrame poll() throws IOException, InterruptedException {
        return over ? others.poll() : counted(opening.poll());
    }

    @Override
    public ReceivedFrame take() throws IOException, InterruptedException {
        ReceivedFrame frame = over ? null : counted(opening.next(true));
        over = frame == null;
        return over ? others.take() : frame;
    }

    private ReceivedFrame counted(ReceivedFrame frame) {
        taken += frame == null ? 0 : 1;
        return frame;
    }

    @Override
    public void release(ReceivedFrame frame) {
        if (consumed == taken) {
            others.release(frame);
        } else {
            consumed++;
            opening.release(frame);
        }
    }
}
