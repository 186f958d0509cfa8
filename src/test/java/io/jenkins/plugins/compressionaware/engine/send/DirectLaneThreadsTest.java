package io.jenkins.plugins.compressionaware.engine.send;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneReport;
import io.jenkins.plugins.compressionaware.engine.http.LaneFailure;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.testing.FaultyHttpProxy;
import io.jenkins.plugins.compressionaware.testing.LaneHook;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Threads of direct lanes start and end correctly in spite of failures. */
@Timeout(30)
class DirectLaneThreadsTest {
    @AutoClose
    private final FrameCounter receiver = new FrameCounter();

    private ThreadFactory factory = Thread::new;
    private CompressionPolicy policy = new RecordingPolicy(CodecLevel.UNCOMPRESSED);

    DirectLaneThreadsTest() throws Exception {}

    private FrameSender sender(DirectLaneOffer offer) {
        return sender(offer, (write, length) -> true);
    }

    private FrameSender sender(DirectLaneOffer offer, LaneHook.Action ofStreams) {
        TransferThreads threads = new TransferThreads(new ThreadCpuTimes(), factory);
        SendTarget target = receiver.target(offer, ofStreams);
        return new FrameSender(target, 4, policy, threads, System::nanoTime);
    }

    private FrameSender sender(boolean required) {
        return sender(receiver.offer(required));
    }

    /** Makes threads of a role fail to start, as under a limit of processes; the first {@code after} of them still start. */
    private void refuse(String role, int after) {
        assumeTrue(
                Runtime.version().feature() < 21 || !role.equals("direct watch"),
                "from JDK 21 on, an executor does not start its threads by Thread.start()");
        AtomicInteger started = new AtomicInteger();
        factory = task -> new Thread(task) {
            @Override
            public synchronized void start() {
                if (getName().equals("artifact transfer: " + role) && started.getAndIncrement() >= after) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
                super.start();
            }
        };
    }

    @ParameterizedTest
    @CsvSource({"direct watch, 0", "direct probe, 0", "direct lane, 0", "direct lane, 2"})
    void streamsReplaceDirectLaneWithoutThread(String role, int after) throws Exception {
        refuse(role, after);
        try (FrameSender sender = sender(false)) {
            FrameCounter.send(sender);
        }
        receiver.assertAllArrived();
    }

    @ParameterizedTest
    @CsvSource({"direct watch, 0", "direct probe, 0", "direct lane, 0"})
    void missingThreadFailsRequiredDirectLane(String role, int after) {
        refuse(role, after);
        try (FrameSender sender = sender(true)) {
            assertFailsWith("unable to create native thread", () -> FrameCounter.send(sender));
        }
    }

    @Test
    void otherLanesReplaceRequiredLaneWithoutThread() throws Exception {
        refuse("direct lane", 2);
        try (FrameSender sender = sender(true)) {
            FrameCounter.send(sender);
        }
        receiver.assertAllArrived();
    }

    @Test
    void missingStreamThreadFailsTransfer() {
        refuse("send", 1);
        try (FrameSender sender = sender(false)) {
            assertThrows(OutOfMemoryError.class, sender::start);
        }
    }

    /** Reading cannot be interrupted, so the response arrives after the end of the transfer; no lane may start then. */
    @Test
    void lateProbeResponseStartsNoLane() throws Exception {
        RecordingPolicy recorded = new RecordingPolicy(CodecLevel.UNCOMPRESSED);
        policy = recorded;
        List<Thread> threads = new CopyOnWriteArrayList<>();
        factory = task -> {
            threads.add(new Thread(task));
            return threads.get(threads.size() - 1);
        };
        CountDownLatch probing = new CountDownLatch(1);
        CountDownLatch over = new CountDownLatch(1);
        receiver.proxy.become(body -> {
            probing.countDown();
            TestThreads.await(over);
            return null;
        });
        FrameSender sender = sender(false);
        try (sender) {
            sender.start();
            FrameCounter.put(sender, 0, 2);
            probing.await();
            // the transfer fails here
        }
        int before = threads.size();
        over.countDown();
        Threads.joinTransfers();
        assertEquals(before, threads.size(), "threads were started after the end of the transfer");
        assertTrue(List.of("2 streams").containsAll(recorded.lanes), recorded.lanes.toString());
        assertNull(sender.direct());
    }

    /** Lanes fail after the probe's time limit, and must not be reported as a probe without response. */
    @Test
    void failedLanesAreReported() throws Exception {
        RecordingPolicy recorded = new RecordingPolicy(CodecLevel.UNCOMPRESSED);
        policy = recorded;
        receiver.proxy.become(body -> body > 0 ? FaultyHttpProxy.Fault.BAD_GATEWAY : null);
        long probeMillis = 1500;
        DirectLaneOffer.Limits limits = new DirectLaneOffer.Limits(probeMillis, 20_000);
        // the streams leave frames to the lanes
        CountDownLatch opened = new CountDownLatch(1);
        LaneHook.Action untilFailed = (write, length) -> {
            while (opened.getCount() == 0 && receiver.proxy.bodies() < 3) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
            return true;
        };
        try (FrameSender sender = sender(receiver.offer(false, limits, receiver.url()), untilFailed)) {
            // the probe is answered before its time limit
            sender.start();
            FrameCounter.put(sender, 0, 2);
            while (sender.direct() == null) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
            opened.countDown();
            TimeUnit.MILLISECONDS.sleep(2 * probeMillis);
            FrameCounter.put(sender, 2, FrameCounter.FRAMES);
            sender.finish();
            assertTrue(recorded.lanes.contains("2 streams"), recorded.lanes.toString());
            DirectLaneReport report = sender.direct();
            assertTrue(report.failed());
            assertEquals(receiver.url() + ": the answer is HTTP 502", report.problem());
            assertEquals(3, report.connections());
            assertEquals(0, report.wireBytes());
            assertEquals(EnumSet.of(LaneFailure.BUSY), report.kinds());
        }
        receiver.assertAllArrived();
        assertEquals(
                FrameCounter.FRAMES * FrameCounter.FRAME,
                recorded.writes.stream().mapToInt(LaneWrite::wireLength).sum());
    }
}
