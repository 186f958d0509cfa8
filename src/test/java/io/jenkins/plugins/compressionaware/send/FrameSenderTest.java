package io.jenkins.plugins.compressionaware.send;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.adapt.LaneWrite;
import io.jenkins.plugins.compressionaware.testkit.Capture;
import io.jenkins.plugins.compressionaware.testkit.CreditPipe;
import io.jenkins.plugins.compressionaware.testkit.Threads;
import io.jenkins.plugins.compressionaware.transfer.Credit;
import io.jenkins.plugins.compressionaware.transfer.DirectOffer;
import io.jenkins.plugins.compressionaware.transfer.DirectReport;
import io.jenkins.plugins.compressionaware.transfer.ThreadTimes;
import io.jenkins.plugins.compressionaware.transfer.TransferThreads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Frames that no compressor has made, over lanes whose other ends only note which frames come. */
@Timeout(30)
class FrameSenderTest {
    private static final int FRAME = 1000;
    private static final int FRAMES = 200;

    /** Opens the direct lanes with the second frame. */
    private static final int LARGE = 4 << 20;

    private final Set<Integer> arrived = new ConcurrentSkipListSet<>();
    private final AtomicInteger overStreams = new AtomicInteger();
    private final ExecutorService serving = Executors.newCachedThreadPool();
    private ThreadFactory factory = Thread::new;
    private SendListener listener = new SendListener() {};
    private HttpServer server;
    private volatile boolean breakBodies;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(serving);
        server.createContext("/", this::take);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
        Threads.end(serving);
    }

    private void take(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        if (breakBodies && body.length > 0) {
            exchange.sendResponseHeaders(503, -1);
            exchange.close();
            return;
        }
        note(body, 0, body.length);
        exchange.getResponseHeaders().set(DirectOffer.TAKEN_HEADER, Integer.toString(body.length));
        exchange.getResponseHeaders().set(DirectOffer.CONNECTIONS_HEADER, "3");
        exchange.sendResponseHeaders(DirectOffer.TAKEN_STATUS, -1);
        exchange.close();
    }

    private void note(byte[] bytes, int offset, int length) {
        for (int at = offset; at < offset + length; at += FRAME) {
            arrived.add(ByteBuffer.wrap(bytes, at, FRAME).getInt());
        }
    }

    private String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    private static DirectOffer offer(boolean required, String... urls) {
        return new DirectOffer(new ArrayList<>(List.of(urls)), "token", 3, required);
    }

    private FrameSender sender(DirectOffer offer) {
        OutputStream stream = new OutputStream() {
            @Override
            public void write(int b) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                note(bytes, offset, length);
                overStreams.incrementAndGet();
            }
        };
        Route route = new Route(List.of(stream, stream), Capture.unlimitedCredit(), 0, 0, 0, offer);
        return new FrameSender(route, 4, listener, new TransferThreads(new ThreadTimes(), factory));
    }

    private void send(FrameSender sender) throws Exception {
        sender.start();
        for (int i = 0; i < FRAMES; i++) {
            sender.put(CompletableFuture.completedFuture(frame(i)), LARGE);
        }
        sender.finish();
    }

    private static EncodedFrame frame(int number) {
        return new EncodedFrame(ByteBuffer.allocate(FRAME).putInt(number).array(), FRAME);
    }

    private void assertAllArrived() {
        assertEquals(IntStream.range(0, FRAMES).boxed().collect(Collectors.toSet()), arrived);
    }

    @Test
    void framesOfAnyOriginAreSent() throws Exception {
        try (FrameSender sender = sender(null)) {
            send(sender);
        }
        assertAllArrived();
        assertEquals(FRAMES, overStreams.get());
    }

    /** A thread that the system refuses to start, as where the number of processes is limited. */
    private void refuse(String role, int after) {
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
    @CsvSource({"direct watch, 0", "direct probe, 0", "direct send, 0", "direct send, 2"})
    void aDirectLanesThreadThatCannotBeStarted(String role, int after) throws Exception {
        refuse(role, after);
        try (FrameSender sender = sender(offer(false, url()))) {
            send(sender);
        }
        assertAllArrived();
    }

    @ParameterizedTest
    @CsvSource({"direct watch, 0", "direct probe, 0", "direct send, 0", "direct send, 2"})
    void andTheDirectLaneIsRequired(String role, int after) {
        refuse(role, after);
        try (FrameSender sender = sender(offer(true, url()))) {
            IOException failure = assertThrows(IOException.class, () -> send(sender));
            assertTrue(failure.getMessage().contains("unable to create native thread"), failure.getMessage());
        }
    }

    @Test
    void aStreamsThreadThatCannotBeStarted() {
        refuse("send", 1);
        try (FrameSender sender = sender(offer(false, url()))) {
            assertThrows(OutOfMemoryError.class, sender::start);
        }
    }

    @Test
    void aListenerThatThrows() throws Exception {
        listener = new SendListener() {
            @Override
            public void lanes(int count, boolean direct) {
                throw new NoClassDefFoundError("the channel is gone");
            }
        };
        try (FrameSender sender = sender(offer(true, url()))) {
            send(sender);
        }
        assertAllArrived();
    }

    /** Connecting is not to be broken off, so the answer comes when the transfer has ended. */
    @Test
    void aProbeThatOutlivesItsTransfer() throws Exception {
        List<Socket> waiting = new CopyOnWriteArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < 2; i++) {
                waiting.add(new Socket(full.getInetAddress(), full.getLocalPort()));
            }
            DirectOffer offer = new DirectOffer(
                    new ArrayList<>(List.of("http://127.0.0.1:" + full.getLocalPort() + "/")),
                    "token",
                    3,
                    false,
                    DirectOffer.MAX_BODY,
                    new DirectOffer.Limits(20_000, 20_000));
            try (FrameSender sender = sender(offer)) {
                sender.start();
                sender.put(CompletableFuture.completedFuture(frame(0)), LARGE);
                sender.put(CompletableFuture.completedFuture(frame(1)), LARGE);
                while (Threads.ofTransfers().stream().noneMatch(FrameSenderTest::connects)) {
                    TimeUnit.MILLISECONDS.sleep(1);
                }
                // and now the transfer fails
            }
            serving.submit(() -> {
                while (true) {
                    waiting.add(full.accept());
                    Socket socket = waiting.get(waiting.size() - 1);
                    serving.submit(() -> answerTheProbe(socket));
                }
            });
            Threads.joinTransfers();
        } finally {
            for (Socket socket : waiting) {
                socket.close();
            }
        }
    }

    private static boolean connects(Thread thread) {
        return Stream.of(thread.getStackTrace())
                .anyMatch(call -> call.getMethodName().equals("connect")
                        && call.getClassName().equals("java.net.Socket"));
    }

    private static Void answerTheProbe(Socket socket) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream(), ISO_8859_1));
        for (String line = in.readLine(); !line.isEmpty(); line = in.readLine()) {}
        String answer = "HTTP/1.1 204 No Content\r\n" + DirectOffer.TAKEN_HEADER + ": 0\r\n"
                + DirectOffer.CONNECTIONS_HEADER + ": 3\r\n\r\n";
        socket.getOutputStream().write(answer.getBytes(ISO_8859_1));
        return null;
    }

    @Test
    void everyLaneThatIsLostIsTold() throws Exception {
        RecordingPolicy policy = new RecordingPolicy(Choice.STORED);
        listener = policy;
        breakBodies = true;
        try (FrameSender sender = sender(offer(false, url()))) {
            // the probe has been answered by then
            sender.start();
            sender.put(CompletableFuture.completedFuture(frame(0)), LARGE);
            sender.put(CompletableFuture.completedFuture(frame(1)), LARGE);
            while (policy.lanes.isEmpty()) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
            for (int i = 2; i < FRAMES; i++) {
                sender.put(CompletableFuture.completedFuture(frame(i)), LARGE);
            }
            sender.finish();
            assertEquals(List.of("3 direct", "2 direct", "1 direct", "2 streams"), policy.lanes);
            DirectReport report = sender.direct();
            assertTrue(report.lost());
            assertEquals(url() + ": the answer is HTTP 503", report.trouble());
            assertEquals(3, report.connections());
            assertEquals(0, report.wireBytes());
        }
        assertAllArrived();
        assertEquals(
                FRAMES * FRAME,
                policy.writes.stream().mapToInt(LaneWrite::wireLength).sum());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLaneWithoutCreditIsHeldAndOneWithoutFramesIsStarved(boolean direct) throws Exception {
        RecordingPolicy policy = new RecordingPolicy(Choice.STORED);
        DirectOffer offer = direct ? offer(true, url()) : null;
        try (CreditPipe credits = new CreditPipe()) {
            OutputStream stream = OutputStream.nullOutputStream();
            Route route = new Route(List.of(stream, stream), credits, 2 * Credit.heapOf(FRAME), 0, 0, offer);
            FrameSender sender = new FrameSender(route, 4, policy, new TransferThreads(new ThreadTimes()));
            long start = System.nanoTime();
            try (sender) {
                sender.start();
                sender.put(CompletableFuture.completedFuture(frame(0)), 1);
                while (policy.writes.isEmpty()) {
                    TimeUnit.MILLISECONDS.sleep(1);
                }
                TimeUnit.MILLISECONDS.sleep(100);
                sender.put(CompletableFuture.completedFuture(frame(1)), 1);
                sender.put(CompletableFuture.completedFuture(frame(2)), 1);
                while (policy.writes.size() < 2) {
                    TimeUnit.MILLISECONDS.sleep(1);
                }
                LaneWrite second = List.copyOf(policy.writes).get(1);
                assertTrue(second.starvedNanos() > 90_000_000, second.toString());
                assertTrue(second.heldNanos() < second.starvedNanos(), second.toString());
                long waiting = System.nanoTime();
                TimeUnit.MILLISECONDS.sleep(200);
                long waited = System.nanoTime() - waiting;
                Credit.Grant grant = new Credit.Grant(Long.MAX_VALUE);
                credits.sink().write(grant.toBytes());
                sender.finish();
                long held =
                        policy.writes.stream().mapToLong(LaneWrite::heldNanos).sum();
                assertTrue(held > waited / 2, held + " of " + waited);
                assertEquals(List.of(grant), List.copyOf(policy.grants));
            }
            long times = policy.writes.stream()
                    .mapToLong(write -> write.writeNanos() + write.heldNanos() + write.starvedNanos())
                    .sum();
            int lanes = direct ? 3 : 2;
            assertTrue(times <= lanes * (System.nanoTime() - start), "lanes cannot wait longer than it took");
        }
    }

    @Test
    void aFrameThatCannotBeMade() {
        OutOfMemoryError error = new OutOfMemoryError("no memory");
        try (FrameSender sender = sender(null)) {
            sender.start();
            IOException failure = assertThrows(IOException.class, () -> {
                sender.put(CompletableFuture.failedFuture(error), 1);
                sender.finish();
            });
            assertEquals("Cannot send: no memory", failure.getMessage());
            assertSame(error, failure.getCause());
        }
    }

    @Test
    void whoWaitsForRoomHearsThatALaneIsBroken() throws Exception {
        CountDownLatch full = new CountDownLatch(1);
        OutputStream broken = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                try {
                    full.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
                throw new IOException("broken");
            }
        };
        Route route = new Route(List.of(broken), Capture.unlimitedCredit(), 0);
        try (FrameSender sender = new FrameSender(route, 2, listener, new TransferThreads(new ThreadTimes()))) {
            sender.start();
            Thread putting = Thread.currentThread();
            serving.submit(() -> {
                while (putting.getState() != Thread.State.WAITING) {
                    TimeUnit.MILLISECONDS.sleep(1);
                }
                full.countDown();
                return null;
            });
            IOException failure = assertThrows(IOException.class, () -> {
                EncodedFrame chunk = new EncodedFrame(new byte[StreamLane.CHUNK], StreamLane.CHUNK);
                for (int i = 0; i < 10; i++) {
                    sender.put(CompletableFuture.completedFuture(chunk), 1);
                }
            });
            assertEquals("Cannot send: broken", failure.getMessage());
            assertFalse(putting.isInterrupted());
        }
    }
}
