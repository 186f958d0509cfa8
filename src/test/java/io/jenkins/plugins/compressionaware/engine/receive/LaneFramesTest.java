package io.jenkins.plugins.compressionaware.engine.receive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.Frame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LaneFramesTest {
    private static final int BLOCK = 128 * 1024;
    private static final long PAUSE = 3_000_000;

    private final HeapBudget.Reservation reservation =
            new HeapBudget(4L * Credit.WINDOW).open(0, Credit.heapCost(2 * BLOCK));
    private final FrameReorderBuffer queue = new FrameReorderBuffer(reservation.grant(0), 1);
    private final LaneReceiver lane = new LaneReceiver(queue, BLOCK);
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private final CreditScheduler grants = new CreditScheduler(
            new CreditWriter(sent, Runnable::run),
            reservation.minWindow(),
            reservation.grant(0));
    private long sequence;

    private LaneFrames frames(FrameReorderBuffer buffer, SenderLiveness check, LongSupplier clock) {
        return new LaneFrames(buffer, check, reservation, grants, new ReceiveProgress(), clock);
    }

    private void arrive() throws IOException {
        lane.write(Frame.block(Codec.ZSTD, sequence++, new byte[BLOCK]));
    }

    private void arriveLater() throws IOException {
        long start = System.nanoTime();
        while (System.nanoTime() - start < PAUSE) {
            Thread.onSpinWait();
        }
        arrive();
    }

    @Test
    void waitForFirstFrameIsNotCounted() throws Exception {
        LaneFrames frames = frames(queue, this::arriveLater, System::nanoTime);
        long before = System.nanoTime();
        frames.next(true);
        assertEquals(0, frames.waitingNanos(), "the sender has not started");
        frames.next(true);
        assertTrue(frames.waitingNanos() >= PAUSE, frames.waitingNanos() + " ns");
        assertTrue(frames.waitingNanos() <= System.nanoTime() - before - PAUSE, "without the wait for the first frame");
    }

    @Test
    void grantIncludesReleasedFrames() throws Exception {
        LaneFrames frames = frames(queue, this::arriveLater, System::nanoTime);
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
        LaneFrames frames = frames(small, () -> {}, System::nanoTime);
        byte[] next = Frame.block(Codec.NONE, 0, new byte[BLOCK]);
        frames.release(new ReceivedFrame(Codec.NONE.envelope().read(next), next));
        new LaneReceiver(small, BLOCK).write(next);
        assertArrayEquals(next, frames.next(false).bytes());
        assertNull(frames.next(false));
    }

    @Test
    void grantIsResentWhileNoFrameArrives() throws Exception {
        AtomicLong clock = new AtomicLong();
        LaneFrames frames = frames(
                queue,
                () -> {
                    clock.addAndGet(TimeUnit.SECONDS.toNanos(31));
                    if (sent.size() > 0) {
                        arrive();
                    }
                },
                clock::get);
        frames.next(true);
        assertEquals(List.of(reservation.grant(0), reservation.grant(0)), CapturedTransfer.limits(sent.toByteArray()));
    }
}
