package io.jenkins.plugins.compressionaware.engine.receive;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.Frame;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Receives frames in the bodies of requests and over streams. */
class DirectReceiverTest {
    private static final int BLOCK = 1000;

    private final FrameReorderBuffer queue = new FrameReorderBuffer(Long.MAX_VALUE);
    private final DirectReceiver direct = new DirectReceiver(queue, BLOCK);
    private final LaneReceiver lane = new LaneReceiver(queue, BLOCK);

    private void take(byte[] body) throws IOException {
        direct.take(new ByteArrayInputStream(body), body.length);
    }

    @Test
    void requestMayContainSeveralFrames() throws Exception {
        List<byte[]> frames = List.of(
                Frame.block(Codec.ZSTD, 0, new byte[BLOCK]),
                Frame.block(Codec.GZIP, 1, new byte[BLOCK]),
                Frame.end(Codec.NONE, 2));
        take(CapturedTransfer.join(frames));
        for (byte[] frame : frames) {
            assertArrayEquals(frame, queue.poll().bytes());
        }
    }

    @Test
    void requestWithIncompleteOrTooLongFrameIsRejected() {
        byte[] frame = Frame.block(Codec.NONE, 0, new byte[BLOCK]);
        assertRejected(Frame.announcing(Codec.NONE, BLOCK, Integer.MAX_VALUE), "a frame of 2147483647 bytes");
        assertRejected(Frame.block(Codec.NONE, 0, new byte[BLOCK + 1]), "more than the agreed 1000");
        assertRejected(Arrays.copyOf(frame, frame.length - 1), "longer than its request");
        assertRejected(Arrays.copyOf(frame, 20), "longer than its request");
        assertRejected(CapturedTransfer.join(List.of(frame, Arrays.copyOf(frame, 20))), "longer than its request");
    }

    @Test
    void bytesThatAreNotAFrameAreRejected() {
        byte[] frame = Frame.block(Codec.NONE, 0, new byte[BLOCK]);
        assertRejected(Arrays.copyOf(frame, frame.length + 1), "a frame that is longer than its request");
        assertRejected("GET / HTTP/1.1 and so on, more than a header long".getBytes(), "not the start");
        byte[] damaged = frame.clone();
        damaged[20]++;
        assertRejected(damaged, "damaged");
    }

    private void assertRejected(byte[] body, String reason) {
        assertFailsWith(reason, () -> take(body));
    }

    @Test
    void completeFramesOfTruncatedRequestAreKept() throws Exception {
        byte[] first = Frame.block(Codec.NONE, 0, new byte[BLOCK]);
        byte[] both = CapturedTransfer.join(List.of(first, Frame.block(Codec.NONE, 1, new byte[BLOCK])));
        assertFails(
                "the request's body broke off",
                () -> direct.take(new ByteArrayInputStream(both, 0, both.length - 1), both.length));
        assertArrayEquals(first, queue.poll().bytes());
        assertNull(queue.poll());
    }

    /** A truncated request, in contrast, does not fail the transfer. */
    @Test
    void frameBeyondCreditFailsTransfer() {
        byte[] frame = Frame.block(Codec.NONE, 0, new byte[BLOCK]);
        FrameReorderBuffer full = new FrameReorderBuffer(Credit.heapCost(frame.length) - 1);
        DirectReceiver receiver = new DirectReceiver(full, BLOCK);
        assertThrows(IOException.class, () -> receiver.take(new ByteArrayInputStream(frame), frame.length));
        assertFails("The transfer is over: The sender does not wait until its bytes are consumed", full::checkOpen);
    }

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
