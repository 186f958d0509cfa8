package io.jenkins.plugins.compressionaware.engine.receive;

import java.io.IOException;

/** The frames of an {@link Opening} and then, unless the end frame was among them, those of another supply. */
final class OpeningFrames implements FrameSupply {
    private final FrameParser opening;
    private final FrameSupply others;
    private boolean over;
    private long taken;
    private long consumed;

    OpeningFrames(Opening opening, FrameSupply others, Progress progress, int maxBlock) {
        this.others = others;
        this.opening = new FrameParser(
                (frames, mayWait) -> {
                    if (!mayWait) {
                        return false;
                    }
                    progress.waits(true);
                    byte[] more = opening.next();
                    progress.waits(false);
                    if (more != null) {
                        frames.write(more);
                    }
                    return more != null;
                },
                maxBlock);
    }

    @Override
    public ArrivedFrame poll() throws IOException, InterruptedException {
        return over ? others.poll() : counted(opening.poll());
    }

    @Override
    public ArrivedFrame take() throws IOException, InterruptedException {
        ArrivedFrame frame = over ? null : counted(opening.next(true));
        over = frame == null;
        return over ? others.take() : frame;
    }

    private ArrivedFrame counted(ArrivedFrame frame) {
        taken += frame == null ? 0 : 1;
        return frame;
    }

    @Override
    public void consumed(ArrivedFrame frame) {
        if (consumed == taken) {
            others.consumed(frame);
        } else {
            consumed++;
            opening.consumed(frame);
        }
    }
}
