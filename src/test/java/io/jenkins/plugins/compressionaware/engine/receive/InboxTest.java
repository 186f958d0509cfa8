package io.jenkins.plugins.compressionaware.engine.receive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.flow.CreditWriter;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.Frame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class InboxTest {
    private static final int BLOCK = 128 * 1024;
    private static final long PAUSE = 3_000_000;

    private final HeapBudget.Reservation reservation =
            new HeapBudget(4L * Credit.WINDOW).open(0, Credit.heapCost(2 * BLOCK));
    private final FrameReorderBuffer queue = new FrameReorderBuffer(reservation.grant(0), 1);
    private final LaneReceiver lane = new LaneReceiver(queue, BLOCK);
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private long sequence;

    private Inbox inbox(FrameReorderBuffer buffer, LongSupplier clock) {
        Inbox inbox = new Inbox(reservation, buffer, BLOCK, new ReceiveProgress(), clock);
        inbox.sendCredit(new CreditWriter(sent, Runnable::run), reservation.grant(0));
        return inbox;
    }

    private void arrive() throws IOException {
        lane.write(Frame.block(Codec.ZSTD, sequence++, new byte[BLOCK]));
    }

    /** Returns a clock that advances with each reading; a frame arrives at each third reading. */
    private LongSupplier arriving() {
        AtomicInteger readings = new AtomicInteger();
        return () -> {
            int reading = readings.incrementAndGet();
            if (reading % 3 == 2) {
                try {
                    arrive();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            return reading * PAUSE;
        };
    }

    @Test
    void waitForFirstFrameIsNotCounted() throws Exception {
        Inbox inbox = inbox(queue, arriving());
        inbox.next(true);
        assertEquals(0, inbox.waitingNanos(), "the sender has not started");
        inbox.next(true);
        assertEquals(3 * PAUSE, inbox.waitingNanos());
    }

    @Test
    void grantIncludesReleasedFrames() throws Exception {
        Inbox frames = inbox(queue, arriving());
        frames.next(true);
        ReceivedFrame frame = frames.next(true);
        frames.release(frame);
        assertEquals(0, sent.size(), "too few bytes for a grant");
        arrive();
        long wire = frame.length();
        while (sent.size() == 0) {
            frames.release(frame);
            wire += frame.length();
        }
        assertEquals(
                List.of(Credit.WINDOW + wire / frame.length() * Credit.heapCost(frame.length())),
                CapturedTransfer.limits(sent.toByteArray()));
    }

    /** The queue must accept a frame before the sender receives the grant. */
    @Test
    void queueAcceptsGrantedFrame() throws Exception {
        FrameReorderBuffer small = new FrameReorderBuffer(0, 1);
        Inbox frames = inbox(small, System::nanoTime);
        byte[] next = Frame.block(Codec.NONE, 0, new byte[BLOCK]);
        frames.release(new ReceivedFrame(Codec.NONE.envelope().read(next), next));
        new LaneReceiver(small, BLOCK).write(next);
        assertArrayEquals(next, frames.next(false).bytes());
        assertNull(frames.next(false));
    }

    @Test
    void grantIsResentWhileNoFrameArrives() throws Exception {
        AtomicInteger readings = new AtomicInteger();
        Inbox frames = inbox(queue, () -> {
            if (sent.size() > 0) {
                try {
                    arrive();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            return readings.getAndIncrement() * TimeUnit.SECONDS.toNanos(31);
        });
        frames.next(true);
        assertEquals(List.of(reservation.grant(0), reservation.grant(0)), CapturedTransfer.limits(sent.toByteArray()));
    }
}
