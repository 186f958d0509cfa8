package io.jenkins.plugins.compressionaware.engine.http;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.directlane.EndpointServer;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.RangeRequest;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FaultyHttpProxy;
import io.jenkins.plugins.compressionaware.testing.Offers;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Single requests to the endpoint, or to other servers. */
@Timeout(30)
class HttpLaneConnectionTest {
    private static final byte[] FILE = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

    @TempDir
    private Path tmp;

    @AutoClose
    private final ExecutorService threads = new TestThreads();

    @AutoClose
    private final EndpointServer server = new EndpointServer();

    @AutoClose
    private final FaultyHttpProxy proxy = new FaultyHttpProxy(server.port(), body -> null);

    @AutoClose
    private Receiver receiver;

    @AutoClose
    private FrameFile file;

    private final AtomicInteger longest = new AtomicInteger();
    private byte[] frames;
    private byte[] stored;
    private String secret;

    HttpLaneConnectionTest() throws IOException {}

    @BeforeEach
    void prepare() throws Exception {
        Files.writeString(tmp.resolve("a"), "content");
        SendOptions options = new SendOptions(Codec.NONE, 0);
        frames = CapturedTransfer.stream(tmp, Map.of("a", "a"), options);
        receiver = new Receiver(
                tmp.resolve("archive"), null, Set.of("a"), EntryDecoder.NONE, options.blockSize(), Runnable::run);
        Path stash = CapturedTransfer.store(tmp, Map.of("a", "a"), options, tmp.resolve("stash"));
        file = FrameFile.open(stash);
        stored = Arrays.copyOfRange(Files.readAllBytes(stash), 7, 17);
        upload();
    }

    private void upload() {
        secret = server.open(receiver);
    }

    private void download() {
        secret = server.open(file);
    }

    private HttpLaneConnection connection(long limit, int port, LongSupplier clock) throws IOException {
        return new HttpLaneConnection(new URL(Offers.url(port)), new LaneKeys(secret), limit, clock, longest);
    }

    private HttpLaneConnection connection(long limit) throws IOException {
        return connection(limit, proxy.port(), System::nanoTime);
    }

    private HttpLaneConnection connection() throws IOException {
        return connection(20_000);
    }

    private void post(HttpLaneConnection connection) throws IOException {
        connection.post(frames.length, out -> out.write(frames));
    }

    /** Fetches ten bytes of the file. */
    private void fetch(HttpLaneConnection connection) throws IOException {
        byte[] got = new byte[stored.length];
        connection.fetch(new RangeRequest(0, 7, got.length, 0), in -> in.readFully(got));
        assertArrayEquals(stored, got);
    }

    @Test
    void probeReturnsAllowedNumberOfRequests() throws Exception {
        assertEquals(3, connection().probe());
    }

    /** After a pause of this process, the response may have arrived in time. */
    @Test
    void responseThatHasArrivedIsReadAfterDeadline() throws Exception {
        download();
        AtomicLong clock = new AtomicLong();
        HttpLaneConnection connection = connection(20_000, server.port(), clock::get);
        byte[] got = new byte[stored.length];
        connection.fetch(new RangeRequest(0, 7, got.length, 0), in -> {
            server.answered.acquireUninterruptibly();
            clock.set(TimeUnit.HOURS.toNanos(1));
            in.readFully(got);
        });
        assertArrayEquals(stored, got);
    }

    @Test
    void requestsReuseConnection() throws Exception {
        HttpLaneConnection uploads = connection();
        for (int i = 0; i < 3; i++) {
            post(uploads);
        }
        download();
        HttpLaneConnection downloads = connection();
        for (int i = 0; i < 3; i++) {
            fetch(downloads);
        }
        assertEquals(1, proxy.connections(), "connections were not kept");
        assertTrue(proxy.last().contains("Accept-Encoding: identity"), proxy.last());
    }

    @Test
    void errorResponseKeepsConnection() throws Exception {
        HttpLaneConnection connection = connection();
        proxy.respond("503 Service Unavailable", 60_000);
        for (int i = 0; i < 3; i++) {
            assertThrows(IOException.class, () -> post(connection));
            assertThrows(IOException.class, () -> fetch(connection));
        }
        assertEquals(1, proxy.connections(), "connections were not kept");
    }

    @ParameterizedTest
    @CsvSource({
        "200, the answer is HTTP 200, REFUSED, REFUSED",
        "204, the answer is not from this plugin, WRONG_SERVER, WRONG_SERVER",
        "206, the answer is HTTP 206, REFUSED, REFUSED",
        "302, the answer is HTTP 302, REDIRECT, REDIRECT",
        "308, the answer is HTTP 308, REDIRECT, REDIRECT",
        "401, the answer is HTTP 401, LOGIN, LOGIN",
        "403, the answer is HTTP 403, TOO_LARGE, LOGIN",
        "404, the answer is HTTP 404, REFUSED, REFUSED",
        "407, the answer is HTTP 407, PROXY_LOGIN, PROXY_LOGIN",
        "413, the answer is HTTP 413, TOO_LARGE, TOO_LARGE",
        "429, the answer is HTTP 429, BUSY, BUSY",
        "502, the answer is HTTP 502, BUSY, BUSY",
        "503, the answer is HTTP 503, BUSY, BUSY",
        "504, the answer is HTTP 504, BUSY, BUSY"
    })
    void rejectsResponsesOfOtherServers(int code, String reason, LaneFailure cause, LaneFailure causeForProbe)
            throws Exception {
        String login = "\r\nWWW-Authenticate: Basic realm=\"x\"\r\nProxy-Authenticate: Basic realm=\"x\"";
        proxy.respond(code + " x\r\nLocation: /elsewhere" + login, 0);
        assertFailure(reason, cause, () -> post(connection()));
        assertFailure(reason, cause, () -> fetch(connection()));
        // no size limit applies, and the JDK could log in, because it could resend the body
        assertFailure(reason, causeForProbe, () -> connection().probe());
        assertTrue(proxy.last().startsWith("POST / "), "the secret goes nowhere else: " + proxy.last());
    }

    /** A firewall that inspects bodies takes random bytes for an attack. */
    @Test
    void refusalOfSizeThatHasPassedIsAboutContent() throws Exception {
        post(connection());
        HttpLaneConnection connection = connection();
        proxy.respond("403 Forbidden", 0);
        assertFailure(
                "the answer is HTTP 403", LaneFailure.CONTENT, () -> connection.post(9, out -> out.write(new byte[9])));
        byte[] longer = new byte[frames.length + 1];
        assertFailure(
                "the answer is HTTP 403",
                LaneFailure.TOO_LARGE,
                () -> connection.post(longer.length, out -> out.write(longer)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void requestIsRepeatedUntilBrokenOnesHaveEnded(boolean downloads) throws Exception {
        if (downloads) {
            download();
        }
        CountDownLatch broken = server.occupy();
        proxy.become(body -> {
            if (body == 3) {
                broken.countDown();
            }
            return null;
        });
        if (downloads) {
            fetch(connection());
        } else {
            post(connection());
        }
    }

    @Test
    void requestIsNotRepeatedForever() throws Exception {
        server.occupy();
        assertFailure("no answer within 300 ms", LaneFailure.STALLED, () -> post(connection(300)));
    }

    private static void assertFailure(String reason, LaneFailure cause, Executable request) {
        IOException failure = assertThrows(IOException.class, request);
        assertEquals(reason, failure.getMessage());
        assertEquals(cause, LaneFailure.of(failure));
    }

    @Test
    void recognizesCertificateOfAnotherHost() {
        assertEquals(LaneFailure.UNTRUSTED_CERTIFICATE, LaneFailure.of(new SSLPeerUnverifiedException("no")));
        assertEquals(
                LaneFailure.UNTRUSTED_CERTIFICATE,
                LaneFailure.of(new IOException("HTTPS hostname wrong:  should be <ci.example>")));
        assertEquals(LaneFailure.OTHER, LaneFailure.of(new IOException()));
    }

    @Test
    void missingResponseTimesOut() throws Exception {
        proxy.become(FaultyHttpProxy.Fault.PROBE_UNANSWERED);
        HttpLaneConnection connection = connection(300);
        assertFailure("no answer within 300 ms", LaneFailure.STALLED, connection::probe);
        assertFalse(connection.isStalled(), "no request is running");
    }

    /** Packets are dropped, as by a firewall. */
    @Test
    void missingConnectionTimesOut() throws Exception {
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket first = new Socket(full.getInetAddress(), full.getLocalPort());
                Socket second = new Socket(full.getInetAddress(), full.getLocalPort())) {
            HttpLaneConnection connection = connection(300, full.getLocalPort(), System::nanoTime);
            assertFailure("no answer within 300 ms", LaneFailure.TIMEOUT, connection::probe);
        }
    }

    /** Each byte arrives within the limit of a single read. */
    @Test
    void slowlyDrippingResponseTimesOut() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        try (ServerSocket dripping = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            LaneKeys keys = new LaneKeys(secret);
            threads.submit(() -> {
                try (Socket socket = dripping.accept()) {
                    socket.getInputStream().read();
                    String head = "HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n" + DirectLaneOffer.ANSWER_HEADER + ": "
                            + keys.answer(1, LaneKeys.answerHead(1, 200, 10_000, 0)) + "\r\n\r\n";
                    socket.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
                    while (!over.await(1, TimeUnit.MILLISECONDS)) {
                        socket.getOutputStream().write(1);
                    }
                }
                return null;
            });
            HttpLaneConnection connection = connection(300, dripping.getLocalPort(), System::nanoTime);
            assertFails(
                    "no answer within 300 ms",
                    () -> connection.fetch(new RangeRequest(0, 0, 10_000, 0), in -> in.readFully(new byte[10_000])));
            over.countDown();
        }
    }

    @Test
    void onlyOverlongRequestIsStalled() throws Exception {
        HttpLaneConnection connection = connection(300);
        connection.probe();
        assertFalse(connection.isStalled());
        proxy.become(FaultyHttpProxy.Fault.PROBE_UNANSWERED);
        Future<?> running = threads.submit(() -> assertThrows(IOException.class, connection::probe));
        while (!connection.isStalled() && !running.isDone()) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        running.get();
        assertFalse(connection.isStalled());
    }
}
