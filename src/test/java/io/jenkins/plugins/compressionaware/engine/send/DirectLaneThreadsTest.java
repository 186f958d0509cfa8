package io.jenkins.plugins.compressionaware.engine.send;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import io.jenkins.plugins.compressionaware.engine.flow.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.flow.TransferThreads;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneReport;
import io.jenkins.plugins.compressionaware.engine.lane.LaneFailure;
import io.jenkins.plugins.compressionaware.engine.lane.LaneKeys;
import io.jenkins.plugins.compressionaware.testing.LaneEnd;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the threads of direct lanes begin and end, whatever hinders them. */
@Timeout(30)
class DirectLaneThreadsTest {
    private final FakeReceiver ends = new FakeReceiver();
    private final ExecutorService serving = Executors.newCachedThreadPool();
    private ThreadFactory factory = Thread::new;
    private CompressionPolicy policy = new RecordingPolicy(CodecLevel.UNCOMPRESSED);

    DirectLaneThreadsTest() throws IOException {}

    @AfterEach
    void stop() {
        ends.close();
        Threads.end(serving);
    }

    private FrameSender sender(DirectLaneOffer offer) {
        return new FrameSender(ends.route(offer), 4, policy, new TransferThreads(new ThreadCpuTimes(), factory));
    }

    private FrameSender sender(boolean required) {
        return sender(ends.offer(required));
    }

    /** A thread that the system refuses to start, as where the number of processes is limited. */
    private void refuse(String role, int after) {
        assumeTrue(
                Runtime.version().feature() < 21 || !role.equals("direct watch"),
                "from JDK 21 on an executor starts its threads past Thread.start()");
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
    void aDirectLanesThreadThatCannotBeStarted(String role, int after) throws Exception {
        refuse(role, after);
        try (FrameSender sender = sender(false)) {
            FakeReceiver.send(sender);
        }
        ends.assertAllArrived();
    }

    @ParameterizedTest
    @CsvSource({"direct watch, 0", "direct probe, 0", "direct lane, 0", "direct lane, 2"})
    void andTheDirectLaneIsRequired(String role, int after) {
        refuse(role, after);
        try (FrameSender sender = sender(true)) {
            assertFailsWith("unable to create native thread", () -> FakeReceiver.send(sender));
        }
    }

    @Test
    void aStreamsThreadThatCannotBeStarted() {
        refuse("send", 1);
        try (FrameSender sender = sender(false)) {
            assertThrows(OutOfMemoryError.class, sender::start);
        }
    }

    @Test
    void aListenerThatThrows() throws Exception {
        policy = new RecordingPolicy(CodecLevel.UNCOMPRESSED) {
            @Override
            public void lanes(int count, boolean direct) {
                throw new NoClassDefFoundError("the channel is gone");
            }
        };
        try (FrameSender sender = sender(true)) {
            FakeReceiver.send(sender);
        }
        ends.assertAllArrived();
    }

    /** Connecting is not to be broken off, so the answer comes when the transfer has ended: no lane begins any more. */
    @Test
    void aProbeThatOutlivesItsTransfer() throws Exception {
        RecordingPolicy heard = new RecordingPolicy(CodecLevel.UNCOMPRESSED);
        policy = heard;
        List<Thread> made = new CopyOnWriteArrayList<>();
        factory = task -> {
            made.add(new Thread(task));
            return made.get(made.size() - 1);
        };
        List<Socket> waiting = new CopyOnWriteArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < 2; i++) {
                waiting.add(new Socket(full.getInetAddress(), full.getLocalPort()));
            }
            FrameSender sender = sender(FakeReceiver.offer(false, "http://127.0.0.1:" + full.getLocalPort() + "/"));
            try (sender) {
                sender.start();
                sender.put(CompletableFuture.completedFuture(FakeReceiver.frame(0)), FakeReceiver.LARGE);
                sender.put(CompletableFuture.completedFuture(FakeReceiver.frame(1)), FakeReceiver.LARGE);
                while (made.stream().noneMatch(DirectLaneThreadsTest::connects)) {
                    TimeUnit.MILLISECONDS.sleep(1);
                }
                // and now the transfer fails
            }
            int before = made.size();
            Future<Void> answering = serving.submit(() -> {
                full.accept().close();
                full.accept().close();
                try (Socket probe = full.accept()) {
                    return answerTheProbe(probe);
                }
            });
            answering.get();
            Threads.joinTransfers();
            assertEquals(before, made.size(), "threads that nobody ends");
            assertEquals(List.of(), heard.lanes);
            assertNull(sender.direct());
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
        long number = 0;
        for (String line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
            if (line.startsWith(DirectLaneOffer.REQUEST_HEADER)) {
                number = LaneKeys.Request.of(line.substring(line.indexOf(' ') + 1))
                        .number();
            }
        }
        String answer = "HTTP/1.1 204 No Content\r\n" + DirectLaneOffer.ANSWER_HEADER + ": "
                + new LaneEnd().receipt(number, 0, 3) + "\r\n" + DirectLaneOffer.CONNECTIONS_HEADER + ": 3\r\n\r\n";
        socket.getOutputStream().write(answer.getBytes(ISO_8859_1));
        return null;
    }

    /** Also after the time in which a probe has to be answered: one that was is not told as silence. */
    @Test
    void everyLaneThatIsLostIsTold() throws Exception {
        RecordingPolicy heard = new RecordingPolicy(CodecLevel.UNCOMPRESSED);
        policy = heard;
        ends.breakBodies();
        long probeMillis = 1500;
        try (FrameSender sender = sender(FakeReceiver.offer(false, ends.url(), probeMillis))) {
            // the probe has been answered by then
            sender.start();
            sender.put(CompletableFuture.completedFuture(FakeReceiver.frame(0)), FakeReceiver.LARGE);
            sender.put(CompletableFuture.completedFuture(FakeReceiver.frame(1)), FakeReceiver.LARGE);
            while (heard.lanes.isEmpty()) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
            TimeUnit.MILLISECONDS.sleep(2 * probeMillis);
            for (int i = 2; i < FakeReceiver.FRAMES; i++) {
                sender.put(CompletableFuture.completedFuture(FakeReceiver.frame(i)), FakeReceiver.LARGE);
            }
            sender.finish();
            assertEquals(List.of("3 direct", "2 direct", "1 direct", "2 streams"), heard.lanes);
            DirectLaneReport report = sender.direct();
            assertTrue(report.failed());
            assertEquals(ends.url() + ": the answer is HTTP 503", report.problem());
            assertEquals(3, report.connections());
            assertEquals(0, report.wireBytes());
            assertEquals(EnumSet.of(LaneFailure.REFUSED), report.kinds());
        }
        ends.assertAllArrived();
        assertEquals(
                FakeReceiver.FRAMES * FakeReceiver.FRAME,
                heard.writes.stream().mapToInt(LaneWrite::wireLength).sum());
    }
}
