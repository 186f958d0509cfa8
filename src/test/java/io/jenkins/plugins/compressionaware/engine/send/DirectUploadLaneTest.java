package io.jenkins.plugins.compressionaware.engine.send;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import io.jenkins.plugins.compressionaware.engine.flow.CreditGate;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.http.HttpLaneConnection;
import io.jenkins.plugins.compressionaware.engine.http.LaneKeys;
import io.jenkins.plugins.compressionaware.engine.http.Seal;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.Offers;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.HttpURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests a {@link DirectUploadLane} whose requests are rejected or hang. */
@Timeout(30)
class DirectUploadLaneTest {
    private static final LaneKeys KEYS = new LaneKeys(Offers.SECRET);

    private final FrameDispatcher dispatcher =
            new FrameDispatcher(new CreditGate(CapturedTransfer.unlimitedCredit(), 0, 0), 4, System::nanoTime, null);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final RecordingPolicy writes = new RecordingPolicy(CodecLevel.UNCOMPRESSED);
    private final CountDownLatch resolving = new CountDownLatch(1);
    private final CountDownLatch resolved = new CountDownLatch(1);

    @AfterEach
    void end() {
        resolved.countDown();
        Threads.end(threads);
    }

    /** Returns a lane whose requests hang in a name lookup, which ignores time limits, interrupts and aborts. */
    private DirectUploadLane laneThatResolves() throws Exception {
        return lane(new AtomicInteger(1000), 1, url -> new FakeConnection(url) {
            @Override
            public OutputStream getOutputStream() {
                resolving.countDown();
                while (true) {
                    try {
                        resolved.await();
                        return OutputStream.nullOutputStream();
                    } catch (InterruptedException e) {
                        // ignored
                    }
                }
            }
        });
    }

    /** Returns a lane through a proxy that rejects bodies above {@code limit}; adds the length of each body to {@code bodies}. */
    private DirectUploadLane laneThrough(int limit, int refusal, AtomicInteger bodyLimit, List<Integer> bodies)
            throws Exception {
        return lane(bodyLimit, 10_000, url -> new FakeConnection(url) {
            @Override
            public int getResponseCode() {
                bodies.add(length());
                return length() > limit ? refusal : DirectLaneOffer.TAKEN_STATUS;
            }
        });
    }

    private DirectUploadLane lane(
            AtomicInteger bodyLimit, long limitMillis, Function<URL, HttpURLConnection> connections) throws Exception {
        URL url = new URL(null, "http://server.example/", new URLStreamHandler() {
            @Override
            protected URLConnection openConnection(URL u) {
                return connections.apply(u);
            }
        });
        HttpLaneConnection connection = new HttpLaneConnection(
                url, new LaneKeys(Offers.SECRET), limitMillis, System::nanoTime, new AtomicInteger());
        return new DirectUploadLane(dispatcher, connection, bodyLimit, writes::sent);
    }

    @ParameterizedTest
    @CsvSource({
        "40, 413, 40, '40'",
        "39, 413, 20, '40, 20, 20'",
        "39, 403, 20, '40, 20, 20'",
        "20, 413, 20, '40, 20, 20'",
        "19, 413, 10, '40, 20, 10, 10, 10, 10'"
    })
    void halvesBodiesUntilAccepted(int limit, int refusal, int newLimit, String expected) throws Exception {
        dispatcher.addDirectLanes(1);
        for (int i = 0; i < 4; i++) {
            dispatcher.put(CompletableFuture.completedFuture(new EncodedFrame(new byte[10], 10, null)));
        }
        dispatcher.complete();
        List<Integer> bodies = new ArrayList<>();
        AtomicInteger bodyLimit = new AtomicInteger(40);
        DirectUploadLane lane = laneThrough(limit, refusal, bodyLimit, bodies);
        lane.run();
        assertEquals("[" + expected + "]", bodies.toString());
        assertEquals(newLimit, bodyLimit.get());
        assertEquals(40, lane.deliveredBytes());
        assertEquals(40, writes.writes.stream().mapToInt(LaneWrite::wireLength).sum());
        assertTrue(lane.end());
        lane.returnWork();
        assertNull(dispatcher.takeForStream(() -> {}), "no work is returned");
    }

    @Test
    void rejectedSingleFrameEndsLane() throws Exception {
        dispatcher.addDirectLanes(1);
        dispatcher.put(CompletableFuture.completedFuture(new EncodedFrame(new byte[10], 10, null)));
        List<Integer> bodies = new ArrayList<>();
        DirectUploadLane lane = laneThrough(9, 413, new AtomicInteger(40), bodies);
        assertFails("the answer is HTTP 413", () -> lane.run());
        assertEquals(List.of(10), bodies);
        assertTrue(lane.end());
        lane.returnWork();
        assertEquals(1, dispatcher.takeForStream(() -> {}).frames().size());
    }

    /** The heap may be full when a lane ends, and streams wait until the lane is counted down. */
    @Test
    void endAllocatesNothing() throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        laneThrough(9, 413, new AtomicInteger(40), new ArrayList<>()).end(); // loads classes
        DirectUploadLane lane = laneThrough(9, 413, new AtomicInteger(40), new ArrayList<>());
        long id = Thread.currentThread().getId();
        long start = threads.getThreadAllocatedBytes(id);
        long measuring = threads.getThreadAllocatedBytes(id) - start;
        long before = threads.getThreadAllocatedBytes(id);
        lane.end();
        assertEquals(measuring, threads.getThreadAllocatedBytes(id) - before);
    }

    @Test
    void framesOfHungLaneAreResentByStream() throws Exception {
        dispatcher.addDirectLanes(1);
        byte[] bytes = {1, 2, 3};
        Queue<byte[]> pool = new ConcurrentLinkedQueue<>();
        dispatcher.put(CompletableFuture.completedFuture(new EncodedFrame(bytes, 3, pool)));
        dispatcher.complete();
        DirectUploadLane lane = laneThatResolves();
        assertFalse(lane.isStalled(), "no request is running yet");
        Future<?> sending = threads.submit(() -> {
            lane.run();
            return null;
        });
        resolving.await();
        while (!lane.isStalled()) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        assertTrue(lane.end());
        lane.returnWork();
        EncodedFrame again = dispatcher.takeForStream(() -> {}).frames().get(0);
        assertArrayEquals(bytes, again.bytes());
        again.recycle();
        assertNull(dispatcher.takeForStream(() -> {}));

        resolved.countDown();
        ExecutionException late = assertThrows(ExecutionException.class, sending::get);
        assertEquals("the receipt came too late", late.getCause().getMessage());
        assertEquals(0, lane.deliveredBytes());
        assertFalse(lane.end());
        assertTrue(pool.isEmpty(), "no other frame may use the array that the lane's thread was writing");
    }

    /** Accepts every request. */
    private static class FakeConnection extends HttpURLConnection {
        FakeConnection(URL url) {
            super(url);
        }

        /** Returns the length of the request's body without seals. */
        int length() {
            return Seal.openedLength(fixedContentLength);
        }

        @Override
        public OutputStream getOutputStream() {
            return OutputStream.nullOutputStream();
        }

        @Override
        public int getResponseCode() {
            return DirectLaneOffer.TAKEN_STATUS;
        }

        @Override
        public String getHeaderField(String name) {
            if (!name.equals(DirectLaneOffer.ANSWER_HEADER)) {
                return null;
            }
            LaneKeys.Request request = LaneKeys.Request.of(getRequestProperty(DirectLaneOffer.REQUEST_HEADER));
            String head = LaneKeys.answerHead(request.number(), DirectLaneOffer.TAKEN_STATUS, length(), 0);
            return KEYS.answer(KEYS.answers().next(), head);
        }

        @Override
        public InputStream getInputStream() {
            return null;
        }

        @Override
        public void connect() {}

        @Override
        public void disconnect() {}

        @Override
        public boolean usingProxy() {
            return false;
        }
    }
}
