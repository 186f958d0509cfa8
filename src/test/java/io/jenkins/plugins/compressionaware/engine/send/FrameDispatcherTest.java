package io.jenkins.plugins.compressionaware.engine.send;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.testing.CreditPipe;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.IOException;
import java.util.AbstractList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which lane gets which frame, and when. */
@Timeout(30)
class FrameDispatcherTest {
    private static final int CAPACITY = 4;
    private static final int LENGTH = 10;
    private static final long SECOND = 1_000_000_000;

    private final AtomicLong clock = new AtomicLong();
    private final CreditPipe credits = new CreditPipe();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final FrameDispatcher source = withCredit(Long.MAX_VALUE);
    private volatile Thread waiting;

    @AfterEach
    void end() {
        credits.close();
        Threads.end(threads);
    }

    private FrameDispatcher withCredit(long limit) {
        return new FrameDispatcher(new CreditGate(credits, limit), CAPACITY, clock::get);
    }

    private static EncodedFrame frame(int number) {
        byte[] bytes = new byte[LENGTH];
        bytes[0] = (byte) number;
        return new EncodedFrame(bytes, LENGTH);
    }

    private static void put(FrameDispatcher source, int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            source.put(CompletableFuture.completedFuture(frame(i)));
        }
    }

    private static List<Integer> numbers(FrameDispatcher.Batch taken) {
        return taken.frames().stream().map(frame -> (int) frame.bytes()[0]).toList();
    }

    private static FrameDispatcher.Batch takeForStream(FrameDispatcher source) throws Exception {
        return source.takeForStream(() -> {});
    }

    /** Runs a call that is to wait, and returns when it does. */
    private <T> Future<T> waits(Callable<T> call) throws Exception {
        waiting = null;
        Future<T> result = threads.submit(() -> {
            waiting = Thread.currentThread();
            return call.call();
        });
        while (waiting == null || waiting.getState() != Thread.State.WAITING) {
            assertFalse(result.isDone(), "does not wait");
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return result;
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "19, 1", "20, 2", "29, 2", "30, 3", "1000, 4"})
    void aRequestTakesWhatIsThere(int most, int expected) throws Exception {
        put(source, 0, CAPACITY);
        assertEquals(List.of(0, 1, 2, 3).subList(0, expected), numbers(source.takeForDirect(most)));
    }

    @Test
    void aRequestHasNoMoreFramesThanMayWait() throws Exception {
        put(source, 0, CAPACITY);
        // makes room with each frame that is taken, so that there are always more
        Future<Void> putting = waits(() -> {
            put(source, CAPACITY, 20);
            return null;
        });
        int taken = 0;
        while (taken < 20) {
            int size = source.takeForDirect(1000).frames().size();
            assertTrue(size <= CAPACITY, size + " frames");
            taken += size;
        }
        putting.get();
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 2"})
    void aRequestTakesNoMoreThanHasCredit(int more, int expected) throws Exception {
        FrameDispatcher limited = withCredit(2 * Credit.heapCost(LENGTH) - 1 + more);
        put(limited, 0, 3);
        assertEquals(expected, limited.takeForDirect(1000).frames().size());
    }

    @Test
    void aRequestDoesNotWaitForTheSecondFrame() throws Exception {
        put(source, 0, 1);
        source.put(new CompletableFuture<>());
        assertEquals(List.of(0), numbers(source.takeForDirect(1000)));
    }

    @Test
    void aStreamTakesOneFrame() throws Exception {
        put(source, 0, 3);
        assertEquals(List.of(0), numbers(takeForStream(source)));
        assertEquals(List.of(1), numbers(takeForStream(source)));
    }

    @Test
    void whatIsKeptBackIsSentBeforeAFrameIsWaitedFor() throws Exception {
        CountDownLatch sent = new CountDownLatch(1);
        Future<FrameDispatcher.Batch> taking = waits(() -> source.takeForStream(sent::countDown));
        assertTrue(sent.await(1, TimeUnit.MINUTES));
        put(source, 0, 1);
        assertEquals(List.of(0), numbers(taking.get()));
    }

    @Test
    void arraysAreUsedAgainWhereTheyAreLongEnough() {
        EncodedFrame written = frame(1);
        source.recycle(written);
        assertSame(written.bytes(), source.borrowBuffer(LENGTH));
        EncodedFrame received = frame(2);
        source.recycle(received);
        assertSame(received.bytes(), source.borrowBuffer(LENGTH - 1));
        EncodedFrame small = frame(3);
        source.recycle(small);
        byte[] larger = source.borrowBuffer(LENGTH + 1);
        assertNotSame(small.bytes(), larger);
        assertEquals(LENGTH + 1, larger.length);
        source.recycle(frame(4).asReturned());
        assertEquals(0, source.borrowBuffer(LENGTH)[0], "somebody may still read the other");
    }

    @Test
    void noMoreFramesWaitThanMay() throws Exception {
        put(source, 0, CAPACITY);
        Future<Void> fifth = waits(() -> {
            put(source, 4, 5);
            return null;
        });
        takeForStream(source);
        fifth.get();
    }

    @Test
    void streamsStandInReserve() throws Exception {
        assertTrue(source.addDirectLanes(2));
        put(source, 0, 2);
        Future<FrameDispatcher.Batch> stream = waits(() -> takeForStream(source));
        FrameDispatcher.Batch direct = source.takeForDirect(1);
        source.removeDirectLane(direct.frames());
        assertEquals(List.of(0), numbers(stream.get()));
        assertTrue(stream.get().frames().get(0).returned());
        Future<FrameDispatcher.Batch> next = waits(() -> takeForStream(source));
        clock.addAndGet(SECOND);
        source.removeDirectLane(List.of());
        assertEquals(List.of(1), numbers(next.get()));
        assertEquals(0, next.get().starvedNanos(), "in reserve nobody is starved");
        source.complete();
        assertNull(takeForStream(source));
        assertFalse(source.addDirectLanes(1), "nothing is left for them");
    }

    @Test
    void whoWaitsBehindAnotherIsHeldOrStarvedWithIt() throws Exception {
        FrameDispatcher limited = withCredit(0);
        put(limited, 0, 2);
        Future<FrameDispatcher.Batch> picker = waits(() -> takeForStream(limited));
        clock.addAndGet(SECOND);
        Future<FrameDispatcher.Batch> second = waits(() -> limited.takeForDirect(1));
        clock.addAndGet(2 * SECOND);
        credits.sink().write(new Credit.Grant(Long.MAX_VALUE).toBytes());
        assertWaited(picker, 3 * SECOND, 0);
        assertWaited(second, 2 * SECOND, 0);

        Future<FrameDispatcher.Batch> third = waits(() -> takeForStream(limited));
        Future<FrameDispatcher.Batch> fourth = waits(() -> takeForStream(limited));
        clock.addAndGet(SECOND);
        put(limited, 2, 4);
        assertWaited(third, 0, SECOND);
        assertWaited(fourth, 0, SECOND);
    }

    private static void assertWaited(Future<FrameDispatcher.Batch> lane, long held, long starved) throws Exception {
        assertEquals(held, lane.get().heldNanos(), "for credit");
        assertEquals(starved, lane.get().starvedNanos(), "for a frame");
    }

    @Test
    void theFirstReasonIsWhatEverybodyGets() throws Exception {
        put(source, 0, CAPACITY);
        Future<Void> putting = waits(() -> {
            put(source, 4, 5);
            return null;
        });
        IOException failure = source.fail(new IOException("first"));
        assertEquals("Cannot send: first", failure.getMessage());
        assertSame(failure, source.fail(new IOException("second")));
        assertSame(failure, assertThrows(IOException.class, () -> takeForStream(source)));
        assertSame(failure, assertThrows(IOException.class, () -> source.takeForDirect(1)));
        assertSame(failure, assertThrows(IOException.class, () -> put(source, 5, 6)));
        assertSame(failure, assertThrows(Exception.class, putting::get).getCause());
        assertFalse(source.addDirectLanes(1));
    }

    @Test
    void nobodyWaitsForAFrameThatNobodyWillMake() throws Exception {
        CompletableFuture<EncodedFrame> never = new CompletableFuture<>();
        source.put(never);
        Future<FrameDispatcher.Batch> taking = waits(() -> takeForStream(source));
        Future<FrameDispatcher.Batch> behind = waits(() -> source.takeForDirect(1));
        source.close();
        assertTrue(assertThrows(Exception.class, taking::get).getCause() instanceof IOException);
        assertTrue(assertThrows(Exception.class, behind::get).getCause() instanceof IOException);
        assertTrue(never.isCancelled());
    }

    @Test
    void creditThatBreaksOffEndsTheTransfer() throws Exception {
        FrameDispatcher limited = withCredit(0);
        put(limited, 0, 1);
        credits.close();
        IOException failure = assertThrows(IOException.class, () -> takeForStream(limited));
        assertEquals("Cannot send: The receiving end has ended the transfer", failure.getMessage());
        assertSame(failure, assertThrows(IOException.class, limited::check));
    }

    /** With a full heap, not even the message of a failure can be made. */
    @Test
    void aFailureNeedsNoMemory() {
        IOException failure = source.fail(new Error() {
            @Override
            public String getMessage() {
                throw new OutOfMemoryError("Java heap space");
            }
        });
        assertEquals("Cannot send: the sending JVM is out of memory", failure.getMessage());
        assertSame(failure, assertThrows(IOException.class, () -> put(source, 0, 1)));
    }

    /** With a full heap. Streams must not wait for a lane that no longer exists, nor for frames that are lost with it. */
    @Test
    void whatCannotBeGivenBackEndsTheTransfer() throws Exception {
        source.addDirectLanes(1);
        Future<FrameDispatcher.Batch> stream = waits(() -> takeForStream(source));
        source.removeDirectLane(new AbstractList<>() {
            @Override
            public EncodedFrame get(int index) {
                throw new OutOfMemoryError("Java heap space");
            }

            @Override
            public int size() {
                return 1;
            }
        });
        Throwable failure = assertThrows(ExecutionException.class, stream::get).getCause();
        assertEquals("Cannot send: the sending JVM is out of memory: Java heap space", failure.getMessage());
    }

    /** An executor may lose a task after it has accepted it. */
    @Test
    void aFrameThatNoThreadMakesIsMadeByTheLane() throws Exception {
        source.put(new FutureTask<>(() -> frame(7)));
        assertEquals(List.of(7), numbers(takeForStream(source)));
    }

    @Test
    void theStateTellsFilesFromCredit() throws Exception {
        FrameDispatcher limited = withCredit(1);
        assertFalse(limited.waitsForFrames());
        Future<FrameDispatcher.Batch> taken = threads.submit(() -> takeForStream(limited));
        await().until(limited::waitsForFrames);
        put(limited, 0, 1);
        await().until(() -> !limited.waitsForFrames());
        assertEquals(1, limited.credit());
        credits.close();
        assertThrows(ExecutionException.class, taken::get);
    }
}
