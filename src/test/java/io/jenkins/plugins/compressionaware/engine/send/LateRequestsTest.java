package io.jenkins.plugins.compressionaware.engine.send;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.http.LaneFailure;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.testing.FaultyHttpProxy;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A proxy that accepts requests and does not answer them. */
class LateRequestsTest {
    /** Longer than the test may take. */
    private static final DirectLaneOffer.Limits LIMITS = new DirectLaneOffer.Limits(20_000, 600_000);

    @AutoClose
    private final FrameCounter receiver = new FrameCounter();

    LateRequestsTest() throws Exception {}

    /** Other transfers may need the connections. */
    @Test
    @Timeout(60)
    void noProbeIsSentWhileStreamsSuffice() throws Exception {
        SendTarget target = receiver.target(receiver.offer(false, LIMITS, receiver.url()));
        TransferThreads threads = new TransferThreads(new ThreadCpuTimes());
        RecordingPolicy policy = new RecordingPolicy(CodecLevel.UNCOMPRESSED);
        try (FrameSender sender = new FrameSender(target, 4, policy, threads, System::nanoTime)) {
            sender.start();
            for (int i = 0; i < FrameCounter.FRAMES; i++) {
                TimeUnit.MILLISECONDS.sleep(2);
                sender.put(
                        CompletableFuture.completedFuture(FrameCounter.frame(i)),
                        i < FrameCounter.FRAMES / 2 ? 1000 : FrameCounter.LARGE);
            }
            sender.finish();
            assertNull(sender.direct());
        }
        receiver.assertAllArrived();
        receiver.close();
        Threads.joinTransfers();
    }

    @Test
    @Timeout(60)
    void streamsSendFramesOfUnansweredRequests() throws Exception {
        CountDownLatch unanswered = new CountDownLatch(1);
        receiver.proxy.become(body -> {
            if (body == 0) {
                return null;
            }
            unanswered.countDown();
            return FaultyHttpProxy.Fault.UNANSWERED;
        });
        SendTarget target = receiver.target(receiver.offer(false, LIMITS, receiver.url()), (write, length) -> {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10)); // busy
            return true;
        });
        TransferThreads threads = new TransferThreads(new ThreadCpuTimes());
        RecordingPolicy policy = new RecordingPolicy(CodecLevel.UNCOMPRESSED);
        AtomicLong later = new AtomicLong();
        try (FrameSender sender = new FrameSender(target, 4, policy, threads, () -> System.nanoTime() + later.get())) {
            sender.start();
            for (int i = 0; i < FrameCounter.FRAMES; i++) {
                TimeUnit.MILLISECONDS.sleep(3); // longer than a stream waits for a second frame to write with the first
                sender.put(CompletableFuture.completedFuture(FrameCounter.frame(i)), FrameCounter.LARGE);
            }
            sender.finish();
            assertEquals(0, unanswered.getCount());
            assertFalse(sender.direct().failed(), "the answer may only be slow");
            later.set(TimeUnit.MILLISECONDS.toNanos(LIMITS.probeMillis()));
            assertTrue(sender.direct().failed());
            assertEquals(Set.of(LaneFailure.STALLED), sender.direct().kinds());
        }
        receiver.assertAllArrived();
        receiver.close();
        Threads.joinTransfers();
    }
}
