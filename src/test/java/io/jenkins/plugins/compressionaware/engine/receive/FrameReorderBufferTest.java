package io.jenkins.plugins.compressionaware.engine.receive;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.testing.Frame;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class FrameReorderBufferTest {
    /** Milliseconds. */
    private static final long ONE_MILLISECOND = 1;

    private static final int LARGEST = 4 << 20;

    @AutoClose
    private final TestThreads threads = new TestThreads();

    private final FrameReorderBuffer queue = new FrameReorderBuffer(Long.MAX_VALUE, ONE_MILLISECOND);

    @Test
    void framesAreReturnedInSequenceOrder() throws Exception {
        put(1, 100);
        assertNull(queue.poll());
        put(0, 100);
        assertEquals(0, queue.poll().header().sequence());
        assertEquals(1, queue.take(() -> {}).header().sequence());
        assertNull(queue.poll());
    }

    /** Four connections that repeat blocks of 4 MiB send more than the window. */
    @Test
    void fourRequestsMayBeRepeatedAfterLostReceipts() throws Exception {
        queue.allowDuplicates();
        for (int i = 0; i < 4; i++) {
            put(i, LARGEST + 1000);
            queue.poll();
        }
        for (int i = 0; i < 4; i++) {
            put(i, LARGEST + 1000);
        }
        assertNull(queue.poll());
    }

    @Test
    void duplicateFailsUnlessAllowed() throws Exception {
        put(0, 100);
        assertFails("Block 0 was sent twice", () -> put(0, 100));
        queue.poll();
        assertThrows(IOException.class, () -> put(0, 100));
    }

    @Test
    void endlessRepetitionFails() throws Exception {
        queue.allowDuplicates();
        put(0, LARGEST);
        int repeats = 0;
        IOException refused = null;
        while (refused == null) {
            try {
                put(0, LARGEST);
                repeats++;
            } catch (IOException e) {
                refused = e;
            }
        }
        assertEquals("Block 0 was sent twice", refused.getMessage());
        assertEquals(5, repeats, "the window, and the bytes received once");
    }

    @Test
    void tinyFrameUsesCreditForItsOverhead() throws Exception {
        FrameReorderBuffer full = new FrameReorderBuffer(Credit.WINDOW, ONE_MILLISECOND);
        int frames = 0;
        while (frames <= Credit.WINDOW / 256) {
            try {
                full.reserve(frames, 41);
            } catch (IOException e) {
                assertEquals("The sender does not wait until its bytes are consumed", e.getMessage());
                break;
            }
            frames++;
        }
        assertEquals(Credit.WINDOW / Credit.heapCost(41), frames);
    }

    @Test
    void frameUsesCreditOnceItsHeaderHasArrived() throws Exception {
        FrameReorderBuffer small = new FrameReorderBuffer(2 * Credit.heapCost(1000 + 60), ONE_MILLISECOND);
        small.allowDuplicates();
        byte[] frame = Frame.block(Codec.NONE, 0, new byte[1000]);
        byte[] second = Frame.block(Codec.NONE, 1, new byte[1000]);
        byte[] third = Frame.block(Codec.NONE, 2, new byte[1000]);
        new LaneReceiver(small, 1000).write(frame, 0, 50);
        new LaneReceiver(small, 1000).write(second, 0, 50);
        LaneReceiver lane = new LaneReceiver(small, 1000);
        assertFails("The sender does not wait until its bytes are consumed", () -> lane.write(third, 0, 50));
    }

    @Test
    void duplicateUsesNoCreditAndLeavesFrameIntact() throws Exception {
        byte[] frame = Frame.block(Codec.NONE, 0, new byte[1000]);
        byte[] end = Frame.end(Codec.NONE, 1);
        FrameReorderBuffer small =
                new FrameReorderBuffer(Credit.heapCost(frame.length) + Credit.heapCost(end.length), ONE_MILLISECOND);
        small.allowDuplicates();
        LaneReceiver first = new LaneReceiver(small, 1000);
        LaneReceiver second = new LaneReceiver(small, 1000);
        first.write(frame, 0, 500);
        second.write(frame);
        new DirectReceiver(small, 1000).take(new ByteArrayInputStream(frame), frame.length);
        assertNull(small.poll(), "the first copy counts, and is incomplete");
        first.write(frame, 500, frame.length - 500);
        second.write(end);
        assertArrayEquals(frame, small.poll().bytes());
        assertArrayEquals(end, small.poll().bytes());
    }

    @Test
    void frameOfTruncatedRequestMayArriveOverStream() throws Exception {
        queue.allowDuplicates();
        byte[] frame = Frame.block(Codec.NONE, 0, new byte[1000]);
        DirectReceiver direct = new DirectReceiver(queue, 1000);
        assertThrows(
                IOException.class,
                () -> direct.take(new ByteArrayInputStream(frame, 0, frame.length - 1), frame.length));
        new LaneReceiver(queue, 1000).write(frame);
        assertArrayEquals(frame, queue.poll().bytes());
    }

    @Test
    void failedTransferEndsSlowRequest() {
        byte[] frame = Frame.block(Codec.NONE, 0, new byte[1000]);
        InputStream dripping = new FilterInputStream(new ByteArrayInputStream(frame)) {
            private int read;

            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
                if (++read == 100) {
                    queue.fail(new IOException("aborted"));
                }
                assertTrue(read <= 100, "read after the transfer failed");
                return super.read(target, offset, Math.min(1, length));
            }
        };
        assertFails(
                "The transfer is over: aborted", () -> new DirectReceiver(queue, 1000).take(dripping, frame.length));
    }

    /** The last frames may still wait in the queue when the sender ends. */
    @Test
    void lastFrameIsReturnedAfterItsSenderEnded() throws Exception {
        put(0, 100);
        queue.endOfSender(new IOException("The sender has finished"));
        assertEquals(0, queue.take(() -> {}).header().sequence());
        assertFails("The sender has finished", () -> queue.take(() -> {}));
    }

    @Test
    void readerOfFailedTransferDoesNotWait() throws Exception {
        queue.fail(new IOException("first"));
        queue.fail(new IOException("second"));
        IOException failure = assertThrows(
                IOException.class,
                () -> queue.take(() -> {
                    throw new AssertionError("waited");
                }));
        assertEquals("Damaged transfer: first", failure.getMessage());
        assertFails("The transfer is over: first", () -> put(0, 100));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void frameOrFailureWakesWaitingReader(boolean failing) throws Exception {
        FrameReorderBuffer patient = new FrameReorderBuffer(Long.MAX_VALUE, 3_600_000);
        Future<ReceivedFrame> taking = threads.startBlocking(() -> patient.take(() -> {}));
        if (failing) {
            patient.fail(new IOException("aborted"));
            ExecutionException failure = assertThrows(ExecutionException.class, taking::get);
            assertEquals("Damaged transfer: aborted", failure.getCause().getMessage());
        } else {
            patient.reserve(0, 100);
            patient.put(frame(0, 100));
            assertEquals(0, taking.get().header().sequence());
        }
    }

    private void put(long sequence, int length) throws IOException {
        if (queue.reserve(sequence, length)) {
            queue.put(frame(sequence, length));
        }
    }

    private static ReceivedFrame frame(long sequence, int length) {
        return new ReceivedFrame(
                new FrameHeader(Codec.NONE, sequence, length, length, Checksum.CRC32C, 0), new byte[length]);
    }

    /** With a full heap, even creating the message of a failure fails. */
    @Test
    void failureIsRecordedDespiteFullHeap() {
        FrameReorderBuffer queue = new FrameReorderBuffer(0);
        queue.fail(new Error() {
            @Override
            public String toString() {
                throw new OutOfMemoryError("Java heap space");
            }
        });
        IOException failure = assertThrows(IOException.class, queue::poll);
        assertEquals("Damaged transfer: the receiving JVM is out of memory", failure.getMessage());
    }
}
