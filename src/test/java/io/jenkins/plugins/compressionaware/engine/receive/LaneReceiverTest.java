package io.jenkins.plugins.compressionaware.engine.receive;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LaneReceiverTest {
    private static final int BLOCK = 1000;

    private final FrameReorderBuffer queue = new FrameReorderBuffer(Long.MAX_VALUE);
    private final LaneReceiver lane = new LaneReceiver(queue, BLOCK);

    @Test
    void writesMaySplitFramesAnywhere() throws Exception {
        List<byte[]> frames = new ArrayList<>();
        Codec[] codecs = Codec.values();
        for (int i = 0; i < 50; i++) {
            frames.add(Frame.block(codecs[i % codecs.length], i, new byte[BLOCK]));
        }
        frames.add(Frame.end(Codec.NONE, 50));
        byte[] stream = CapturedTransfer.join(frames);
        Random random = new Random(1);
        for (int done = 0; done < stream.length; ) {
            int n = Math.min(stream.length - done, done < stream.length / 4 ? 1 : 1 + random.nextInt(3 * BLOCK));
            if (n == 1) {
                lane.write(stream[done]);
            } else {
                lane.write(stream, done, n);
            }
            done += n;
        }
        for (byte[] frame : frames) {
            assertArrayEquals(frame, queue.poll().bytes());
        }
    }

    @Test
    void decreasingSequenceNumberFails() throws Exception {
        lane.write(Frame.block(Codec.NONE, 4, new byte[BLOCK]));
        assertFails("block 3 after block 4", () -> lane.write(Frame.block(Codec.NONE, 3, new byte[BLOCK])));
        assertFails("Damaged transfer: block 3 after block 4", queue::poll);
    }

    @Test
    void decreasingSequenceNumberIsAllowedWithDirectLanes() throws Exception {
        queue.allowDuplicates();
        lane.write(Frame.block(Codec.NONE, 1, new byte[BLOCK]));
        lane.write(Frame.block(Codec.NONE, 0, new byte[BLOCK]));
        assertEquals(0, queue.poll().header().sequence());
    }

    /** If two requests fail, the request with the end frame may fail first. */
    @Test
    void returnedFrameMayFollowEndFrameWithDirectLanes() throws Exception {
        queue.allowDuplicates();
        lane.write(Frame.end(Codec.NONE, 1));
        lane.write(Frame.block(Codec.NONE, 0, new byte[BLOCK]));
        assertEquals(0, queue.poll().header().sequence());
        assertTrue(queue.poll().header().isEndFrame());
    }

    @Test
    void closedLaneDropsIncompleteFrame() throws Exception {
        byte[] frame = Frame.block(Codec.NONE, 0, new byte[BLOCK]);
        lane.write(frame, 0, 500);
        lane.close();
        lane.write(frame, 500, frame.length - 500);
        assertNull(queue.poll());
    }
}
