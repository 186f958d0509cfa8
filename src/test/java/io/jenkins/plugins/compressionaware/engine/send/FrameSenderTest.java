package io.jenkins.plugins.compressionaware.engine.send;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.flow.CreditGate;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.CreditPipe;
import io.jenkins.plugins.compressionaware.testing.LaneHook;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sends prepared frames over lanes. */
@Timeout(30)
class FrameSenderTest {
    private static final int BLOCK = StreamLane.CHUNK;
    private static final int BLOCKS = 200;
    private static final long SECOND = 1_000_000_000;
    private static final CompressionPolicy IGNORED = new RecordingPolicy(CodecLevel.UNCOMPRESSED);

    @AutoClose
    private final FrameCounter receiver = new FrameCounter();

    @AutoClose
    private final ExecutorService helper = new TestThreads();

    FrameSenderTest() throws Exception {}

    private static TransferThreads threads() {
        return new TransferThreads(new ThreadCpuTimes());
    }

    @Test
    void preparedFramesArrive() throws Exception {
        try (FrameSender sender = new FrameSender(receiver.target(null), 4, IGNORED, threads(), System::nanoTime)) {
            FrameCounter.send(sender);
        }
        receiver.assertAllArrived();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void reportsWaitsForCreditAndForFrames(boolean direct) throws Exception {
        RecordingPolicy policy = new RecordingPolicy(CodecLevel.UNCOMPRESSED);
        DirectLaneOffer offer = direct ? receiver.offer(true) : null;
        AtomicLong clock = new AtomicLong();
        Queue<Thread> lanes = new ConcurrentLinkedQueue<>();
        TransferThreads transferThreads = new TransferThreads(new ThreadCpuTimes(), task -> {
            Thread lane = new Thread(task);
            lanes.add(lane);
            return lane;
        });
        try (CreditPipe credits = new CreditPipe()) {
            OutputStream stream = OutputStream.nullOutputStream();
            SendTarget target = CapturedTransfer.target(
                    List.of(stream, stream), credits, 2 * Credit.heapCost(FrameCounter.FRAME), offer);
            try (FrameSender sender = new FrameSender(target, 4, policy, transferThreads, clock::get)) {
                sender.start();
                sender.put(CompletableFuture.completedFuture(FrameCounter.frame(0)), 1);
                awaitWritesAndIdleLanes(policy, 1, lanes);
                clock.addAndGet(SECOND);
                sender.put(CompletableFuture.completedFuture(FrameCounter.frame(1)), 1);
                sender.put(CompletableFuture.completedFuture(FrameCounter.frame(2)), 1);
                awaitWritesAndIdleLanes(policy, 2, lanes);
                LaneWrite second = List.copyOf(policy.writes).get(1);
                assertEquals(SECOND, second.frameWaitNanos(), second.toString());
                assertEquals(0, second.creditWaitNanos(), second.toString());
                clock.addAndGet(2 * SECOND);
                credits.sink().write(CapturedTransfer.unlimitedCredit().readAllBytes());
                sender.finish();
                LaneWrite third = List.copyOf(policy.writes).get(2);
                assertEquals(2 * SECOND, third.creditWaitNanos(), third.toString());
            }
        }
    }

    /** Waits for a number of writes, and until every lane is idle. */
    private static void awaitWritesAndIdleLanes(RecordingPolicy policy, int writes, Queue<Thread> lanes)
            throws Exception {
        while (policy.writes.size() < writes || lanes.stream().anyMatch(FrameSenderTest::works)) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private static boolean works(Thread thread) {
        return switch (thread.getState()) {
            case WAITING, TIMED_WAITING, TERMINATED -> false;
            default -> true;
        };
    }

    /** Each write through Remoting has a fixed cost, so a stream fills its writes, with and without direct lanes. */
    @ParameterizedTest
    @CsvSource({"false, 0, 3", "true, 0, 3", "true, 5000000, 200"})
    void framesFillWritesUnlessStreamWaitsLong(boolean direct, long tickNanos, int writes) throws Exception {
        AtomicLong clock = new AtomicLong();
        RecordingPolicy policy = new RecordingPolicy(CodecLevel.UNCOMPRESSED);
        try (TestThreads finishing = new TestThreads();
                CreditPipe credits = new CreditPipe();
                FrameSender sender = new FrameSender(
                        CapturedTransfer.target(
                                List.of(OutputStream.nullOutputStream()),
                                credits,
                                Long.MAX_VALUE,
                                direct ? receiver.offer(false) : null),
                        FrameCounter.FRAMES,
                        policy,
                        threads(),
                        () -> clock.addAndGet(tickNanos))) {
            for (int i = 0; i < FrameCounter.FRAMES; i++) {
                sender.put(CompletableFuture.completedFuture(FrameCounter.frame(i)), 1);
            }
            // before the start, so that no frame is late
            Future<Void> finished = finishing.startBlocking(() -> {
                sender.finish();
                return null;
            });
            sender.start();
            finished.get();
        }
        assertEquals(writes, policy.writes.size());
        assertEquals(
                FrameCounter.FRAMES * FrameCounter.FRAME,
                policy.writes.stream().mapToInt(LaneWrite::wireLength).sum());
    }

    @Test
    void failedFrameFailsTransfer() {
        OutOfMemoryError error = new OutOfMemoryError("no memory");
        try (FrameSender sender = new FrameSender(receiver.target(null), 4, IGNORED, threads(), System::nanoTime)) {
            sender.start();
            IOException failure = assertThrows(IOException.class, () -> {
                sender.put(CompletableFuture.failedFuture(error), 1);
                sender.finish();
            });
            assertEquals("Cannot send: the sending JVM is out of memory: no memory", failure.getMessage());
            assertSame(error, failure.getCause());
        }
    }

    @Test
    void brokenLaneEndsWaitingPut() throws Exception {
        CountDownLatch full = new CountDownLatch(1);
        OutputStream broken = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                TestThreads.await(full);
                throw new IOException("broken");
            }
        };
        SendTarget target = CapturedTransfer.route(List.of(broken), CapturedTransfer.unlimitedCredit());
        try (FrameSender sender = new FrameSender(target, 2, IGNORED, threads(), System::nanoTime)) {
            sender.start();
            Thread putting = Thread.currentThread();
            helper.submit(() -> {
                while (putting.getState() != Thread.State.WAITING) {
                    TimeUnit.MILLISECONDS.sleep(1);
                }
                full.countDown();
                return null;
            });
            assertFails("Cannot send: broken", () -> {
                EncodedFrame chunk = new EncodedFrame(new byte[BLOCK], BLOCK, null);
                for (int i = 0; i < 10; i++) {
                    sender.put(CompletableFuture.completedFuture(chunk), 1);
                }
            });
            assertFalse(putting.isInterrupted());
        }
    }

    /** The picker waits for credit, and does not notice that another stream has failed. */
    @Test
    void failedStreamEndsFinishWhileAnotherWaitsForCredit() throws Exception {
        try (CreditPipe credits = new CreditPipe()) {
            OutputStream broken = new OutputStream() {
                @Override
                public void write(int b) {
                    while (Threads.ofTransfers().stream().noneMatch(FrameSenderTest::waitsForCredit)) {
                        Thread.onSpinWait();
                    }
                    throw new OutOfMemoryError("Java heap space");
                }
            };
            SendTarget target = CapturedTransfer.target(List.of(broken, broken), credits, Credit.heapCost(BLOCK), null);
            try (FrameSender sender = new FrameSender(target, 4, IGNORED, threads(), System::nanoTime)) {
                sender.start();
                for (int i = 0; i < 2; i++) {
                    sender.put(
                            CompletableFuture.completedFuture(new EncodedFrame(new byte[BLOCK], BLOCK, null)), BLOCK);
                }
                assertFails("Cannot send: the sending JVM is out of memory: Java heap space", sender::finish);
            }
        }
    }

    private static boolean waitsForCredit(Thread thread) {
        return Stream.of(thread.getStackTrace())
                .anyMatch(call -> call.getClassName().equals(CreditGate.class.getName()));
    }

    /** After an interrupt, remoting would send a partial command over a WebSocket. */
    @Test
    void closeDoesNotInterruptWrite() throws Exception {
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        OutputStream slow = new OutputStream() {
            @Override
            public void write(int b) {
                throw new AssertionError("the lane must write whole arrays");
            }

            @Override
            public void write(byte[] bytes) throws IOException {
                writing.countDown();
                try {
                    goOn.await();
                    interrupted.complete(false);
                } catch (InterruptedException e) {
                    interrupted.complete(true);
                }
            }
        };
        SendTarget target = CapturedTransfer.route(List.of(slow), CapturedTransfer.unlimitedCredit());
        try (FrameSender sender = new FrameSender(target, 2, IGNORED, threads(), System::nanoTime)) {
            sender.start();
            sender.put(CompletableFuture.completedFuture(new EncodedFrame(new byte[BLOCK], BLOCK, null)), 1);
            writing.await();
        }
        goOn.countDown();
        assertFalse(interrupted.get(1, TimeUnit.MINUTES));
    }

    /** The options bound the number of blocks in memory, however much is sent and however slow the receiver is. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void senderStaysFewBlocksAheadOfSlowLane(int compressors) throws Exception {
        AtomicInteger filled = new AtomicInteger();
        AtomicInteger mostAhead = new AtomicInteger();
        AtomicLong written = new AtomicLong();
        Thread[] producer = new Thread[1];
        OutputStream lane = new LaneHook(OutputStream.nullOutputStream(), (write, length) -> {
            // the slowest possible lane: writes nothing until the producer is blocked
            while (producer[0].getState() != Thread.State.WAITING && filled.get() < BLOCKS) {
                Thread.onSpinWait();
            }
            mostAhead.accumulateAndGet(filled.get() - (int) (written.get() / BLOCK), Math::max);
            written.addAndGet(length);
            return true;
        });
        SendOptions options = new SendOptions(Codec.NONE, 0, BLOCK, compressors);
        Set<byte[]> arrays = Collections.newSetFromMap(new IdentityHashMap<>());
        TransferThreads threads = threads();
        SendTarget target = CapturedTransfer.route(List.of(lane), CapturedTransfer.unlimitedCredit());
        try (FrameSender sender = new FrameSender(
                        target,
                        compressors + 2,
                        new RecordingPolicy(CodecLevel.UNCOMPRESSED),
                        threads,
                        System::nanoTime);
                BlockCompressor pipeline =
                        new BlockCompressor(options, new FixedPolicy(CodecLevel.UNCOMPRESSED), sender, threads, 0)) {
            sender.start();
            producer[0] = Thread.currentThread();
            for (int i = 0; i < BLOCKS; i++) {
                byte[] block = pipeline.newBlock();
                arrays.add(block);
                filled.incrementAndGet();
                pipeline.submit(block, BLOCK, "file", 0);
            }
            pipeline.finish();
            sender.finish();
        }
        // one more block than in the pipeline may be in the lane's chunk
        assertTrue(mostAhead.get() <= compressors + 5, mostAhead + " blocks ahead");
        assertTrue(mostAhead.get() >= compressors, "the lane must be slow: " + mostAhead);
        assertTrue(arrays.size() <= compressors + 4, arrays.size() + " arrays for " + BLOCKS + " blocks");
    }
}
