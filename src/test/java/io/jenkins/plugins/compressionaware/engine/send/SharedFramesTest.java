package io.jenkins.plugins.compressionaware.engine.send;

import static io.jenkins.plugins.compressionaware.engine.send.FrameDispatcherTest.CAPACITY;
import static io.jenkins.plugins.compressionaware.engine.send.FrameDispatcherTest.LENGTH;
import static io.jenkins.plugins.compressionaware.engine.send.FrameDispatcherTest.numbers;
import static io.jenkins.plugins.compressionaware.engine.send.FrameDispatcherTest.put;
import static io.jenkins.plugins.compressionaware.engine.send.FrameDispatcherTest.takeForStream;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneBalance;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.flow.CreditGate;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.CreditPipe;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a {@link FrameDispatcher} that sends frames over streams and direct lanes. */
@Timeout(30)
class SharedFramesTest {
    private static final long SECOND = 1_000_000_000;

    private final AtomicLong clock = new AtomicLong();

    @AutoClose
    private final CreditPipe credits = new CreditPipe();

    @AutoClose
    private final TestThreads threads = new TestThreads();

    /** Returns a dispatcher with one direct lane. */
    private FrameDispatcher dispatcher(long credit, @CheckForNull LaneBalance balance) {
        FrameDispatcher dispatcher =
                new FrameDispatcher(new CreditGate(credits, credit, 0), CAPACITY, clock::get, balance);
        dispatcher.addDirectLanes(1);
        return dispatcher;
    }

    private static LaneBalance balance() {
        return new LaneBalance(1, 1000, 10 * SECOND);
    }

    /** Returns a dispatcher that lets streams and a direct lane work. */
    private FrameDispatcher balanced(long credit) {
        return dispatcher(credit, balance());
    }

    /** Returns a dispatcher whose streams rest, because its direct lane has delivered three frames. */
    private FrameDispatcher withRestingStreams(int creditFrames) throws Exception {
        LaneBalance balance = balance();
        FrameDispatcher both = dispatcher(creditFrames * Credit.heapCost(LENGTH), balance);
        balance.streamWrote(2 * Credit.STREAM_WINDOW, SECOND, 0);
        for (int i = 0; i < 3; i++) {
            put(both, i, i + 1);
            both.delivered(both.takeForDirect(1).frames(), 1, LENGTH, 1000);
        }
        return both;
    }

    @Test
    void policyLearnsWhichLanesWork() {
        RecordingPolicy policy = new RecordingPolicy();
        FrameDispatcher both = balanced(Long.MAX_VALUE);
        FrameDispatcher required = dispatcher(Long.MAX_VALUE, null);
        for (FrameDispatcher any : List.of(both, required)) {
            any.addStreams(2);
            any.addDirectLanes(1);
            any.describeLanes(policy);
        }
        both.removeDirectLane(List.of());
        both.removeDirectLane(List.of());
        both.describeLanes(policy);
        assertEquals(List.of("3 streams", "2 direct", "2 streams"), policy.lanes);
    }

    @Test
    void streamSendsFramesBesideDirectLane() throws Exception {
        FrameDispatcher both = balanced(Long.MAX_VALUE);
        put(both, 0, 1);
        assertEquals(List.of(0), numbers(both.takeForDirect(1000)));
        put(both, 1, 2);
        assertEquals(List.of(1), numbers(takeForStream(both)));
    }

    @Test
    void streamRepeatsOverdueRequestAtEnd() throws Exception {
        FrameDispatcher both = balanced(Long.MAX_VALUE);
        put(both, 0, 1);
        both.complete();
        List<EncodedFrame> held = both.takeForDirect(1000).frames();
        Queue<byte[]> pool = held.get(0).pool();
        Future<FrameDispatcher.Batch> stream = threads.startBlocking(() -> takeForStream(both));
        assertFalse(stream.isDone(), "the request may still succeed");
        clock.addAndGet(SECOND);
        assertEquals(List.of(0), numbers(stream.get()));
        assertNull(takeForStream(both), "a stream must not wait for a request that it has repeated");
        both.delivered(held, 1, LENGTH, SECOND);
        assertTrue(pool.isEmpty(), "the stream may still write the array");
    }

    /** The credit may depend on a frame that only this stream can send. */
    @Test
    void streamThatWaitsForCreditSendsReturnedFrame() throws Exception {
        FrameDispatcher both = balanced(Credit.heapCost(LENGTH));
        put(both, 0, 2);
        List<EncodedFrame> held = both.takeForDirect(1).frames();
        Future<FrameDispatcher.Batch> stream = threads.startBlocking(() -> takeForStream(both));
        both.removeDirectLane(held);
        assertEquals(List.of(0), numbers(stream.get()));
    }

    @Test
    void streamThatWaitsForCreditRepeatsOverdueRequest() throws Exception {
        FrameDispatcher both = balanced(Credit.heapCost(LENGTH));
        put(both, 0, 2);
        both.takeForDirect(1);
        Future<FrameDispatcher.Batch> stream = threads.startBlocking(() -> takeForStream(both));
        clock.addAndGet(SECOND);
        assertEquals(List.of(0), numbers(stream.get()));
    }

    /** Otherwise, the credit would be used up before the repeated frame arrives. */
    @Test
    void streamRepeatsOverdueRequestBeforeCreditIsUsedUp() throws Exception {
        for (long credit : new long[] {Credit.STREAM_WINDOW, 2 * Credit.STREAM_WINDOW}) {
            FrameDispatcher both = balanced(credit);
            put(both, 0, 2);
            both.takeForDirect(1);
            clock.addAndGet(SECOND);
            assertEquals(List.of(credit == Credit.STREAM_WINDOW ? 0 : 1), numbers(takeForStream(both)));
        }
    }

    @Test
    void failedRequestIsNotReturnedTwice() throws Exception {
        FrameDispatcher both = balanced(Long.MAX_VALUE);
        put(both, 0, 1);
        both.complete();
        List<EncodedFrame> held = both.takeForDirect(1000).frames();
        clock.addAndGet(SECOND);
        assertEquals(List.of(0), numbers(takeForStream(both)));
        both.removeDirectLane(held);
        assertNull(takeForStream(both));
    }

    @Test
    void lateAnswerCancelsRepeats() throws Exception {
        FrameDispatcher both = balanced(Long.MAX_VALUE);
        put(both, 0, 2);
        both.complete();
        List<EncodedFrame> held = both.takeForDirect(1000).frames();
        clock.addAndGet(SECOND);
        assertEquals(List.of(0), numbers(takeForStream(both)));
        both.delivered(held, 2, 2 * LENGTH, SECOND);
        assertNull(takeForStream(both));
    }

    @Test
    void streamsRestWhileDirectLaneSuffices() throws Exception {
        FrameDispatcher both = withRestingStreams(10);
        put(both, 3, 5);
        Future<FrameDispatcher.Batch> stream = threads.startBlocking(() -> takeForStream(both));
        assertEquals(List.of(3), numbers(both.takeForDirect(1)));
        assertFalse(stream.isDone());
        clock.addAndGet(SECOND);
        assertEquals(List.of(3), numbers(stream.get()), "the request is overdue");
    }

    /** The controller or a proxy is suspended: its requests have no answer, and streams send everything. */
    @Test
    void streamsWorkWhileRepeatedRequestHasNoAnswer() throws Exception {
        FrameDispatcher both = withRestingStreams(4);
        put(both, 3, 6);
        both.takeForDirect(1);
        clock.addAndGet(SECOND);
        assertEquals(List.of(3), numbers(takeForStream(both)), "frame 4 has no credit");
        credits.sink().write(CapturedTransfer.unlimitedCredit().readAllBytes());
        assertEquals(List.of(4), numbers(takeForStream(both)));
    }

    /** Another stream may have sent the only returned frame, and no lane may be left that would return more. */
    @Test
    void waitForReturnedFramesEnds() throws Exception {
        FrameDispatcher both = balanced(Long.MAX_VALUE);
        both.removeDirectLane(List.of());
        assertFalse(both.awaitReturned());
    }

    @Test
    void streamThatWaitsForCreditIsNotBusy() throws Exception {
        FrameDispatcher both = balanced(Credit.heapCost(LENGTH));
        put(both, 0, 2);
        both.takeForDirect(1);
        Future<FrameDispatcher.Batch> stream = threads.startBlocking(() -> takeForStream(both));
        for (int i = 0; i < 100_000; i++) {
            assertFalse(both.waitsForFrames());
        }
        both.close();
        assertThrows(ExecutionException.class, stream::get);
    }
}
