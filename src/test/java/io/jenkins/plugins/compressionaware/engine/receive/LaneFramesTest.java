package io.jenkins.plugins.compressionaware.engine.receive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.Frame;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the receiver's first half measures and tells. */
@Timeout(60)
class LaneFramesTest {
    private static final int BLOCK = 128 * 1024;
    private static final long PAUSE = 3_000_000;

    private final HeapBudget.Reservation account =
            new HeapBudget(4L * Credit.WINDOW).open(0, Credit.heapCost(2 * BLOCK));
    private final FrameReorderBuffer queue = new FrameReorderBuffer(account.grant(0), 1);
    private final LaneReceiver lane = new LaneReceiver(queue, BLOCK);
    private final ByteArrayOutputStream told = new ByteArrayOutputStream();
    private final CreditScheduler grants =
            new CreditScheduler(new CreditWriter(told, Runnable::run), account.minWindow(), account.grant(0));
    private long sequence;

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
    void onlyTheTimeWithoutAFrameAfterTheFirstIsWaiting() throws Exception {
        LaneFrames frames =
                new LaneFrames(queue, this::arriveLater, account, grants, new ReceiveProgress(), System::nanoTime);
        long before = System.nanoTime();
        frames.take();
        assertEquals(0, frames.waitingNanos(), "the sender has yet to begin");
        frames.take();
        assertTrue(frames.waitingNanos() >= PAUSE, frames.waitingNanos() + " ns");
        assertTrue(frames.waitingNanos() <= System.nanoTime() - before - PAUSE, "the first is not counted");
    }

    @Test
    void whatIsConsumedIsTold() throws Exception {
        LaneFrames frames =
                new LaneFrames(queue, this::arriveLater, account, grants, new ReceiveProgress(), System::nanoTime);
        frames.take();
        ReceivedFrame frame = frames.take();
        frames.release(frame);
        assertEquals(0, told.size(), "too little to tell");
        arrive();
        long wire = frame.length();
        while (told.size() == 0) {
            frames.release(frame);
            wire += frame.length();
        }
        Credit.Grant grant = Credit.Grant.read(new DataInputStream(new ByteArrayInputStream(told.toByteArray())));
        assertEquals(Credit.WINDOW + wire / frame.length() * Credit.heapCost(frame.length()), grant.limit());
    }

    /** What is granted is accepted: by the time the sender knows of it the queue does. */
    @Test
    void theQueueAcceptsWhatIsGranted() throws Exception {
        FrameReorderBuffer small = new FrameReorderBuffer(0, 1);
        LaneFrames frames = new LaneFrames(small, () -> {}, account, grants, new ReceiveProgress(), System::nanoTime);
        byte[] next = Frame.block(Codec.NONE, 0, new byte[BLOCK]);
        frames.release(new ReceivedFrame(Codec.NONE.envelope().read(next), next));
        new LaneReceiver(small, BLOCK).write(next);
        assertArrayEquals(next, frames.poll().bytes());
        assertNull(frames.poll());
    }

    /** Eight bytes that mend whatever was lost of the credit. */
    @Test
    void theGrantIsToldAgainWhileNothingComes() throws Exception {
        AtomicLong clock = new AtomicLong();
        LaneFrames frames = new LaneFrames(
                queue,
                () -> {
                    clock.addAndGet(TimeUnit.SECONDS.toNanos(31));
                    if (told.size() > 0) {
                        arrive();
                    }
                },
                account,
                grants,
                new ReceiveProgress(),
                clock::get);
        frames.take();
        assertEquals(
                List.of(account.grant(0), account.grant(0)),
                CapturedTransfer.grants(told.toByteArray()).stream()
                        .map(Credit.Grant::limit)
                        .toList());
    }
}
