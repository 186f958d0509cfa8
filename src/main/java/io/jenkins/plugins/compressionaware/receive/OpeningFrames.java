package io.jenkins.plugins.compressionaware.receive;

import io.jenkins.plugins.compressionaware.transfer.Credit;
import java.io.IOException;

/** The frames of an {@link Opening} and then, unless the end frame was among them, those of another supply. */
final class OpeningFrames implements FrameSupply {
    private final Opening opening;
    private final FrameSupply others;
    private final Progress progress;
    private final FrameQueue queue = new FrameQueue(Credit.WINDOW);
    private final LaneReceiver lane;
    private boolean over;
    private long taken;
    private long consumed;
    private long heap;
    private long wireBytes;
    private long rawBytes;

    OpeningFrames(Opening opening, FrameSupply others, Progress progress, int maxBlock) {
        this.opening = opening;
        this.others = others;
        this.progress = progress;
        lane = new LaneReceiver(queue, maxBlock);
    }

    @Override
    public ArrivedFrame poll() throws IOException {
        return over ? others.poll() : counted(queue.poll());
    }

    @Override
    public ArrivedFrame take() throws IOException, InterruptedException {
        ArrivedFrame frame = poll();
        while (frame == null && !over) {
            progress.waits(true);
            byte[] more = opening.next();
            progress.waits(false);
            if (more == null) {
                over = true;
            } else {
                lane.write(more, 0, more.length);
                frame = poll();
            }
        }
        return frame == null ? others.take() : frame;
    }

    private ArrivedFrame counted(ArrivedFrame frame) {
        taken += frame == null ? 0 : 1;
        return frame;
    }

    @Override
    public void consumed(ArrivedFrame frame) {
        if (consumed == taken) {
            others.consumed(frame);
            return;
        }
        consumed++;
        heap += Credit.heapOf(frame.length());
        queue.allow(heap + Credit.WINDOW);
        wireBytes += frame.length();
        rawBytes += frame.header().rawLength();
        progress.consumed(frame.header());
    }

    /** Bytes of the opening's frames consumed so far. */
    long wireBytes() {
        return wireBytes;
    }

    /** Bytes of their blocks. */
    long rawBytes() {
        return rawBytes;
    }
}
