package io.jenkins.plugins.compressionaware.receive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jenkins.plugins.compressionaware.codec.Checksum;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.codec.FrameHeader;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FrameQueueTest {
    /** Milliseconds. */
    private static final long AT_ONCE = 1;

    private static final int LARGEST = 4 << 20;

    private final FrameQueue queue = new FrameQueue(AT_ONCE);

    @Test
    void framesComeOutInTheOrderOfTheirNumbers() throws Exception {
        queue.put(frame(1, 100));
        assertNull(queue.poll());
        queue.put(frame(0, 100));
        assertEquals(0, queue.poll().header().sequence());
        assertEquals(1, queue.take(() -> {}).header().sequence());
        assertNull(queue.poll());
    }

    /** Four connections, blocks of 4 MiB: more than the window when all four requests lose their receipts. */
    @Test
    void allRequestsMayLoseTheirReceipts() throws Exception {
        queue.expectRepeats();
        for (int i = 0; i < 4; i++) {
            queue.put(frame(i, LARGEST + 1000));
            queue.poll();
        }
        for (int i = 0; i < 4; i++) {
            queue.put(frame(i, LARGEST + 1000));
        }
        assertNull(queue.poll());
    }

    @Test
    void withoutRequestsNothingMayComeTwice() throws Exception {
        queue.put(frame(0, 100));
        IOException refused = assertThrows(IOException.class, () -> queue.put(frame(0, 100)));
        assertEquals("Block 0 was sent twice", refused.getMessage());
        queue.poll();
        assertThrows(IOException.class, () -> queue.put(frame(0, 100)));
    }

    @Test
    void aSenderThatOnlyRepeatsComesToAnEnd() throws Exception {
        queue.expectRepeats();
        queue.put(frame(0, LARGEST));
        int repeats = 0;
        IOException refused = null;
        while (refused == null) {
            try {
                queue.put(frame(0, LARGEST));
                repeats++;
            } catch (IOException e) {
                refused = e;
            }
        }
        assertEquals("Block 0 was sent twice", refused.getMessage());
        assertEquals(5, repeats, "the window, and what has come once");
    }

    /** The end may come after the queue was looked at and before the sender is. */
    @Test
    void theLastFrameCountsEvenIfItsSenderIsGone() throws Exception {
        ArrivedFrame taken = queue.take(() -> {
            queue.put(frame(0, 100));
            throw new IOException("The sender has finished");
        });
        assertEquals(0, taken.header().sequence());
        IOException gone = assertThrows(
                IOException.class,
                () -> queue.take(() -> {
                    throw new IOException("The sender has finished");
                }));
        assertEquals("The sender has finished", gone.getMessage());
    }

    @Test
    void theReaderLearnsAtOnceThatTheTransferHasFailed() throws Exception {
        queue.fail(new IOException("first"));
        queue.fail(new IOException("second"));
        IOException failure = assertThrows(IOException.class, () -> new FrameQueue(AT_ONCE).take(() -> {
            throw new IOException("asked");
        }));
        assertEquals("asked", failure.getMessage());
        failure = assertThrows(IOException.class, () -> queue.take(() -> {
            throw new AssertionError("not asked");
        }));
        assertEquals("Damaged transfer: first", failure.getMessage());
        IOException refused = assertThrows(IOException.class, () -> queue.put(frame(0, 100)));
        assertEquals("The transfer is over: first", refused.getMessage());
    }

    private static ArrivedFrame frame(long sequence, int length) {
        return new ArrivedFrame(
                new FrameHeader(Codec.NONE, false, sequence, length, length, Checksum.NONE, 0), new byte[length]);
    }
}
