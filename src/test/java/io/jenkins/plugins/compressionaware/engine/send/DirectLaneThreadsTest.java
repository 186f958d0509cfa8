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
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneReport;
import io.jenkins.plugins.compressionaware.engine.http.LaneFailure;
import io.jenkins.plugins.compressionaware.engine.http.LaneKeys;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.testing.FakeReceipts;
import io.jenkins.plugins.compressionaware.testing.Offers;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Threads of direct lanes start and end correctly in spite of failures. */
@Timeout(30)
class DirectLaneThreadsTest {
    @AutoClose
    private final FakeReceiver receiver = new FakeReceiver();

    @AutoClose
    private final ExecutorService serving = new TestThreads();

    private ThreadFactory factory = Thread::new;
    private CompressionPolicy policy = new RecordingPolicy(CodecLevel.UNCOMPRESSED);

    DirectLaneThreadsTest() throws IOException {}

    private FrameSender sender(DirectLaneOffer offer) {
        TransferThreads threads = new TransferThreads(new ThreadCpuTimes(), factory);
        return new FrameSender(receiver.target(offer), 4, policy, threads, System::nanoTime);
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
            FakeReceiver.send(sender);
        }
        receiver.assertAllArrived();
    }

    @ParameterizedTest
    @CsvSource({"direct watch, 0", "direct probe, 0", "direct lane, 0"})
    void missingThreadFailsRequiredDirectLane(String role, int after) {
        refuse(role, after);
        try (FrameSender sender = sender(true)) {
            assertFailsWith("unable to create native thread", () -> FakeReceiver.send(sender));
        }
    }

    @Test
    void otherLanesReplaceRequiredLaneWithoutThread() throws Exception {
        refuse("direct lane", 2);
        try (FrameSender sender = sender(true)) {
            FakeReceiver.send(sender);
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

    @Test
    void transferSurvivesFailingPolicy() throws Exception {
        policy = new RecordingPolicy(CodecLevel.UNCOMPRESSED) {
            @Override
            public void lanes(int count, boolean direct) {
                throw new NoClassDefFoundError("the channel is gone");
            }
        };
        try (FrameSender sender = sender(true)) {
            FakeReceiver.send(sender);
        }
        receiver.assertAllArrived();
    }

    /** Connecting cannot be interrupted, so the response arrives after the end of the transfer; no lane may start then. */
    @Test
    void lateProbeResponseStartsNoLane() throws Exception {
        RecordingPolicy recorded = new RecordingPolicy(CodecLevel.UNCOMPRESSED);
        policy = recorded;
        List<Thread> threads = new CopyOnWriteArrayList<>();
        factory = task -> {
            threads.add(new Thread(task));
            return threads.get(threads.size() - 1);
        };
        List<Socket> waiting = new CopyOnWriteArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < 2; i++) {
                waiting.add(new Socket(full.getInetAddress(), full.getLocalPort()));
            }
            FrameSender sender = sender(Offers.of(3, false, Offers.LONG_LIMITS, Offers.url(full.getLocalPort())));
            try (sender) {
                sender.start();
                FakeReceiver.put(sender, 0, 2);
                while (threads.stream().noneMatch(DirectLaneThreadsTest::connects)) {
                    TimeUnit.MILLISECONDS.sleep(1);
                }
                // the transfer fails here
            }
            int before = threads.size();
            Future<Void> answering = serving.submit(() -> {
                full.accept().close();
                full.accept().close();
                try (Socket probe = full.accept()) {
                    return answerTheProbe(probe);
                }
            });
            answering.get();
            Threads.joinTransfers();
            assertEquals(before, threads.size(), "threads were started after the end of the transfer");
            assertEquals(List.of(), recorded.lanes);
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
                + new FakeReceipts().receipt(number, 0, 3) + "\r\n" + DirectLaneOffer.CONNECTIONS_HEADER
                + ": 3\r\n\r\n";
        socket.getOutputStream().write(answer.getBytes(ISO_8859_1));
        return null;
    }

    /** Lanes fail after the probe's time limit, and must not be reported as a probe without response. */
    @Test
    void failedLanesAreReported() throws Exception {
        RecordingPolicy recorded = new RecordingPolicy(CodecLevel.UNCOMPRESSED);
        policy = recorded;
        receiver.breakBodies();
        long probeMillis = 1500;
        DirectLaneOffer.Limits limits = new DirectLaneOffer.Limits(probeMillis, 20_000);
        try (FrameSender sender = sender(Offers.of(3, false, limits, receiver.url()))) {
            // the probe is answered before its time limit
            sender.start();
            FakeReceiver.put(sender, 0, 2);
            while (recorded.lanes.isEmpty()) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
            TimeUnit.MILLISECONDS.sleep(2 * probeMillis);
            FakeReceiver.put(sender, 2, FakeReceiver.FRAMES);
            sender.finish();
            assertEquals(List.of("3 direct", "2 direct", "1 direct", "2 streams"), recorded.lanes);
            DirectLaneReport report = sender.direct();
            assertTrue(report.failed());
            assertEquals(receiver.url() + ": the answer is HTTP 503", report.problem());
            assertEquals(3, report.connections());
            assertEquals(0, report.wireBytes());
            assertEquals(EnumSet.of(LaneFailure.BUSY), report.kinds());
        }
        receiver.assertAllArrived();
        assertEquals(
                FakeReceiver.FRAMES * FakeReceiver.FRAME,
                recorded.writes.stream().mapToInt(LaneWrite::wireLength).sum());
    }
}
