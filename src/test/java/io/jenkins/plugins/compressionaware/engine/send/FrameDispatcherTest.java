package io.jenkins.plugins.compressionaware.engine.send;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.flow.CreditGate;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.CreditPipe;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.io.IOException;
import java.util.AbstractList;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which lane gets which frame, and when. */
@Timeout(30)
class FrameDispatcherTest {
    static final int CAPACITY = 4;
    static final int LENGTH = 10;
    private static final long SECOND = 1_000_000_000;

    private final AtomicLong clock = new AtomicLong();

    @AutoClose
    private final CreditPipe credits = new CreditPipe();

    @AutoClose
    private final TestThreads threads = new TestThreads();

    private final FrameDispatcher dispatcher = withCredit(Long.MAX_VALUE);

    private FrameDispatcher withCredit(long limit) {
        return new FrameDispatcher(new CreditGate(credits, limit, 0), CAPACITY, clock::get, null);
    }

    static EncodedFrame frame(int number) {
        byte[] bytes = new byte[LENGTH];
        bytes[0] = (byte) number;
        return new EncodedFrame(bytes, LENGTH, new ArrayDeque<>());
    }

    static void put(FrameDispatcher dispatcher, int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            dispatcher.put(CompletableFuture.completedFuture(frame(i)));
        }
    }

    static List<Integer> numbers(FrameDispatcher.Batch taken) {
        return taken.frames().stream().map(frame -> (int) frame.bytes()[0]).toList();
    }

    static FrameDispatcher.Batch takeForStream(FrameDispatcher dispatcher) throws Exception {
        return dispatcher.takeForStream(() -> {});
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "19, 1", "20, 2", "29, 2", "30, 3", "1000, 4"})
    void requestGetsReadyFramesUpToLimit(int most, int expected) throws Exception {
        put(dispatcher, 0, CAPACITY);
        assertEquals(List.of(0, 1, 2, 3).subList(0, expected), numbers(dispatcher.takeForDirect(most)));
    }

    @Test
    void requestGetsAtMostCapacityFrames() throws Exception {
        put(dispatcher, 0, CAPACITY);
        // adds a frame for each one taken, so that more frames are always available
        Future<Void> putting = threads.startBlocking(() -> {
            put(dispatcher, CAPACITY, 20);
            return null;
        });
        int taken = 0;
        while (taken < 20) {
            int size = dispatcher.takeForDirect(1000).frames().size();
            assertTrue(size <= CAPACITY, size + " frames");
            taken += size;
        }
        putting.get();
    }

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 2"})
    void requestGetsOnlyFramesWithCredit(int more, int expected) throws Exception {
        FrameDispatcher limited = withCredit(2 * Credit.heapCost(LENGTH) - 1 + more);
        put(limited, 0, 3);
        assertEquals(expected, limited.takeForDirect(1000).frames().size());
    }

    @Test
    void requestDoesNotWaitForSecondFrame() throws Exception {
        put(dispatcher, 0, 1);
        dispatcher.put(new CompletableFuture<>());
        assertEquals(List.of(0), numbers(dispatcher.takeForDirect(1000)));
    }

    @Test
    void streamGetsOneFrame() throws Exception {
        put(dispatcher, 0, 3);
        assertEquals(List.of(0), numbers(takeForStream(dispatcher)));
        assertEquals(List.of(1), numbers(takeForStream(dispatcher)));
    }

    @Test
    void streamFlushesBufferBeforeWaitingForFrame() throws Exception {
        CountDownLatch sent = new CountDownLatch(1);
        Future<FrameDispatcher.Batch> taking = threads.startBlocking(() -> dispatcher.takeForStream(sent::countDown));
        assertTrue(sent.await(1, TimeUnit.MINUTES));
        put(dispatcher, 0, 1);
        assertEquals(List.of(0), numbers(taking.get()));
    }

    /**
     * A write blocks while Remoting's window is full. If the stream still picked, other lanes would wait for it, and its agent would report that it is busy,
     * which hides a lost window.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void otherStreamGetsFramesWhileOneFlushes(boolean forCredit) throws Exception {
        FrameDispatcher limited = withCredit(forCredit ? 0 : Long.MAX_VALUE);
        if (forCredit) {
            put(limited, 0, 1);
        }
        CountDownLatch writing = new CountDownLatch(1);
        CountDownLatch written = new CountDownLatch(1);
        Future<FrameDispatcher.Batch> flushing = threads.startBlocking(() -> limited.takeForStream(() -> {
            writing.countDown();
            TestThreads.await(written);
        }));
        writing.await();
        assertFalse(limited.waitsForFrames());
        if (!forCredit) {
            put(limited, 0, 1);
        }
        credits.sink().write(CapturedTransfer.unlimitedCredit().readAllBytes());
        assertEquals(List.of(0), numbers(takeForStream(limited)));
        written.countDown();
        put(limited, 1, 2);
        assertEquals(List.of(1), numbers(flushing.get()));
    }

    /** The credit that another lane waits for may depend on the buffered bytes. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void streamFlushesBufferBeforeWaitingForOtherLane(boolean direct) throws Exception {
        if (direct) {
            dispatcher.addDirectLanes(1);
        } else {
            threads.startBlocking(() -> takeForStream(dispatcher));
        }
        CountDownLatch sent = new CountDownLatch(1);
        threads.startBlocking(() -> dispatcher.takeForStream(sent::countDown));
        assertTrue(sent.await(1, TimeUnit.MINUTES));
        dispatcher.close();
    }

    @Test
    void arrayOfReturnedFrameIsNotReused() {
        Queue<byte[]> pool = new ArrayDeque<>();
        EncodedFrame written = new EncodedFrame(new byte[LENGTH], LENGTH, pool);
        written.asReturned().recycle();
        assertTrue(pool.isEmpty(), "a lane may still read the returned array");
        written.recycle();
        assertSame(written.bytes(), pool.remove());
    }

    @Test
    void putWaitsAtCapacity() throws Exception {
        put(dispatcher, 0, CAPACITY);
        Future<Void> fifth = threads.startBlocking(() -> {
            put(dispatcher, 4, 5);
            return null;
        });
        takeForStream(dispatcher);
        fifth.get();
    }

    @Test
    void streamsWaitForReturnedWorkWhileDirectLanesWork() throws Exception {
        assertTrue(dispatcher.addDirectLanes(2));
        put(dispatcher, 0, 2);
        Future<FrameDispatcher.Batch> stream = threads.startBlocking(() -> takeForStream(dispatcher));
        FrameDispatcher.Batch direct = dispatcher.takeForDirect(1);
        dispatcher.removeDirectLane(direct.frames());
        assertEquals(List.of(0), numbers(stream.get()));
        assertNull(stream.get().frames().get(0).pool());
        Future<FrameDispatcher.Batch> next = threads.startBlocking(() -> takeForStream(dispatcher));
        clock.addAndGet(SECOND);
        dispatcher.removeDirectLane(List.of());
        assertEquals(List.of(1), numbers(next.get()));
        assertEquals(0, next.get().frameWaitNanos(), "a stream in reserve does not wait for frames");
        dispatcher.complete();
        assertNull(takeForStream(dispatcher));
        assertFalse(dispatcher.addDirectLanes(1), "no frames are left for direct lanes");
    }

    @Test
    void waitIsAttributedToReasonOfLaneAhead() throws Exception {
        FrameDispatcher limited = withCredit(0);
        put(limited, 0, 2);
        Future<FrameDispatcher.Batch> picker = threads.startBlocking(() -> takeForStream(limited));
        clock.addAndGet(SECOND);
        Future<FrameDispatcher.Batch> second = threads.startBlocking(() -> limited.takeForDirect(1));
        clock.addAndGet(2 * SECOND);
        credits.sink().write(CapturedTransfer.unlimitedCredit().readAllBytes());
        assertWaited(picker, 3 * SECOND, 0);
        assertWaited(second, 2 * SECOND, 0);

        Future<FrameDispatcher.Batch> third = threads.startBlocking(() -> takeForStream(limited));
        Future<FrameDispatcher.Batch> fourth = threads.startBlocking(() -> takeForStream(limited));
        clock.addAndGet(SECOND);
        put(limited, 2, 4);
        assertWaited(third, 0, SECOND);
        assertWaited(fourth, 0, SECOND);
    }

    private static void assertWaited(Future<FrameDispatcher.Batch> lane, long creditWait, long frameWait)
            throws Exception {
        assertEquals(creditWait, lane.get().creditWaitNanos(), "for credit");
        assertEquals(frameWait, lane.get().frameWaitNanos(), "for a frame");
    }

    @Test
    void firstFailureIsThrownEverywhere() throws Exception {
        put(dispatcher, 0, CAPACITY);
        Future<Void> putting = threads.startBlocking(() -> {
            put(dispatcher, 4, 5);
            return null;
        });
        IOException failure = dispatcher.fail(new IOException("first"));
        assertEquals("Cannot send: first", failure.getMessage());
        assertSame(failure, dispatcher.fail(new IOException("second")));
        assertSame(failure, assertThrows(IOException.class, () -> takeForStream(dispatcher)));
        assertSame(failure, assertThrows(IOException.class, () -> dispatcher.takeForDirect(1)));
        assertSame(failure, assertThrows(IOException.class, () -> put(dispatcher, 5, 6)));
        assertSame(failure, assertThrows(Exception.class, putting::get).getCause());
        assertFalse(dispatcher.addDirectLanes(1));
    }

    @Test
    void closeCancelsPendingFrames() throws Exception {
        CompletableFuture<EncodedFrame> never = new CompletableFuture<>();
        dispatcher.put(never);
        Future<FrameDispatcher.Batch> taking = threads.startBlocking(() -> takeForStream(dispatcher));
        Future<FrameDispatcher.Batch> behind = threads.startBlocking(() -> dispatcher.takeForDirect(1));
        dispatcher.close();
        assertTrue(assertThrows(Exception.class, taking::get).getCause() instanceof IOException);
        assertTrue(assertThrows(Exception.class, behind::get).getCause() instanceof IOException);
        assertTrue(never.isCancelled());
    }

    @Test
    void endOfCreditPipeFailsTransfer() throws Exception {
        FrameDispatcher limited = withCredit(0);
        put(limited, 0, 1);
        credits.close();
        IOException failure = assertThrows(IOException.class, () -> takeForStream(limited));
        assertEquals("Cannot send: The receiving end has ended the transfer", failure.getMessage());
        assertSame(failure, assertThrows(IOException.class, limited::check));
    }

    /** With a full heap, not even the message of a failure can be created. */
    @Test
    void recordingFailureNeedsNoMemory() {
        IOException failure = dispatcher.fail(new Error() {
            @Override
            public String getMessage() {
                throw new OutOfMemoryError("Java heap space");
            }
        });
        assertEquals("Cannot send: the sending JVM is out of memory", failure.getMessage());
        assertSame(failure, assertThrows(IOException.class, () -> put(dispatcher, 0, 1)));
    }

    /** With a full heap, streams must not wait for a lane that no longer exists, or for its lost frames. */
    @Test
    void workThatCannotBeReturnedFailsTransfer() throws Exception {
        dispatcher.addDirectLanes(1);
        Future<FrameDispatcher.Batch> stream = threads.startBlocking(() -> takeForStream(dispatcher));
        dispatcher.removeDirectLane(new AbstractList<>() {
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

    /** An executor may lose a task after accepting it. */
    @Test
    void laneEncodesFrameOfLostTask() throws Exception {
        dispatcher.put(new FutureTask<>(() -> frame(7)));
        assertEquals(List.of(7), numbers(takeForStream(dispatcher)));
    }

    @Test
    void stateDistinguishesFramesFromCredit() throws Exception {
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
