package io.jenkins.plugins.compressionaware.engine.http;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.jenkins.plugins.compressionaware.engine.flow.RangeRequest;
import io.jenkins.plugins.compressionaware.testing.FakeReceipts;
import io.jenkins.plugins.compressionaware.testing.Offers;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Single requests against a server with configurable responses. */
@Timeout(30)
class HttpLaneConnectionTest {
    private static final byte[] FILE = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Set<InetSocketAddress> connections = ConcurrentHashMap.newKeySet();
    /** Responses that were sent completely. */
    private final Semaphore sent = new Semaphore(0);

    private final Semaphore requests = new Semaphore(0);
    private final CountDownLatch mayRespond = new CountDownLatch(1);
    private final FakeReceipts end = new FakeReceipts();
    private HttpServer server;
    private int status = DirectLaneOffer.TAKEN_STATUS;
    private String received;
    private String challenge;
    private byte[] answer = {};
    private volatile HttpExchange last;
    private volatile RangeRequest range;
    /** Number of next requests that arrive while broken ones have not ended. */
    private final AtomicInteger busy = new AtomicInteger();

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        mayRespond.countDown();
        server.stop(0);
        Threads.end(threads);
    }

    private void answer(HttpExchange exchange) throws IOException {
        connections.add(exchange.getRemoteAddress());
        FakeReceipts.Taken request = end.verified(exchange);
        byte[] body = end.body(exchange, request).readAllBytes();
        last = exchange;
        requests.release();
        if (status == 0) {
            TestThreads.await(mayRespond);
            return;
        }
        if (busy.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            String head = LaneKeys.answerHead(request.request().number(), DirectLaneOffer.BUSY_STATUS, 0, 0);
            exchange.getResponseHeaders()
                    .set(
                            DirectLaneOffer.ANSWER_HEADER,
                            end.keys.answer(end.keys.answers().next(), head));
            exchange.sendResponseHeaders(DirectLaneOffer.BUSY_STATUS, -1);
            exchange.close();
            return;
        }
        if (status == 200 && answer == FILE) {
            range = RangeRequest.read(new DataInputStream(new ByteArrayInputStream(body)));
            end.give(exchange, request, request.request().number(), answer, answer.length);
            exchange.close();
            sent.release();
            return;
        }
        end.receipt(exchange, request, received == null ? body.length : Integer.parseInt(received), 3);
        if (challenge != null) {
            exchange.getResponseHeaders().set(challenge, "Basic realm=\"x\"");
        }
        if (status / 100 == 3) {
            exchange.getResponseHeaders().set("Location", "/elsewhere");
        }
        exchange.sendResponseHeaders(status, answer.length == 0 ? -1 : answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }

    private HttpLaneConnection connection(long limit) throws IOException {
        URL url = new URL(Offers.url(server.getAddress().getPort()));
        return new HttpLaneConnection(url, new LaneKeys(FakeReceipts.SECRET), limit);
    }

    private HttpLaneConnection connection() throws IOException {
        return connection(20_000);
    }

    private String header(String name) {
        return last.getRequestHeaders().getFirst(name);
    }

    @Test
    void probeReturnsAllowedNumberOfRequests() throws Exception {
        assertEquals(3, connection().probe());
        assertEquals("POST", last.getRequestMethod());
    }

    /** After a pause of this process, the response may have arrived in time. */
    @Test
    void responseThatHasArrivedIsReadAfterDeadline() throws Exception {
        answer = FILE;
        status = 200;
        URL url = new URL(Offers.url(server.getAddress().getPort()));
        AtomicLong clock = new AtomicLong();
        HttpLaneConnection connection =
                new HttpLaneConnection(url, new LaneKeys(FakeReceipts.SECRET), 20_000, clock::get);
        byte[] got = new byte[FILE.length];
        connection.fetch(7, FILE.length, in -> {
            sent.acquireUninterruptibly();
            clock.set(TimeUnit.HOURS.toNanos(1));
            in.readFully(got);
        });
        assertArrayEquals(FILE, got);
    }

    @Test
    void requestsReuseConnection() throws Exception {
        HttpLaneConnection connection = connection();
        for (int i = 0; i < 3; i++) {
            connection.post(FILE.length, out -> out.write(FILE));
        }
        assertEquals("application/octet-stream", header("Content-Type"));
        assertEquals("identity", header("Accept-Encoding"));
        answer = FILE;
        status = 200;
        byte[] got = new byte[FILE.length];
        for (int i = 0; i < 3; i++) {
            connection.fetch(7, FILE.length, in -> in.readFully(got));
        }
        assertEquals(new RangeRequest(0, 7, 10), range);
        assertArrayEquals(FILE, got);
        assertEquals(1, connections.size(), "connections were not kept");
    }

    @Test
    void errorResponseKeepsConnection() throws Exception {
        HttpLaneConnection connection = connection();
        status = 503;
        answer = new byte[60_000];
        for (int i = 0; i < 3; i++) {
            assertThrows(IOException.class, () -> connection.post(FILE.length, out -> out.write(FILE)));
            assertThrows(IOException.class, () -> connection.fetch(0, FILE.length, in -> {}));
        }
        assertEquals(1, connections.size(), "connections were not kept");
    }

    @ParameterizedTest
    @CsvSource({
        "204, 9, the answer is not from this plugin, WRONG_SERVER",
        "200, 10, the answer is HTTP 200, REFUSED",
        "302, 10, the answer is HTTP 302, REDIRECT",
        "308, 10, the answer is HTTP 308, REDIRECT",
        "401, 10, the answer is HTTP 401, LOGIN",
        "403, 10, the answer is HTTP 403, TOO_LARGE",
        "407, 10, the answer is HTTP 407, PROXY_LOGIN",
        "413, 10, the answer is HTTP 413, TOO_LARGE",
        "429, 10, the answer is HTTP 429, BUSY",
        "502, 10, the answer is HTTP 502, BUSY",
        "503, 10, the answer is HTTP 503, BUSY",
        "504, 10, the answer is HTTP 504, BUSY",
        "404, 10, the answer is HTTP 404, REFUSED"
    })
    void rejectsResponseThatIsNoReceipt(int code, String header, String reason, LaneFailure cause) throws Exception {
        status = code;
        received = header;
        assertFailure(reason, cause, () -> connection().post(FILE.length, out -> out.write(FILE)));
        assertEquals("/", last.getRequestURI().getPath(), "the token goes nowhere else");
    }

    /** A firewall that inspects bodies takes random bytes for an attack. */
    @Test
    void refusalOfSizeThatHasPassedIsAboutContent() throws Exception {
        HttpLaneConnection connection = connection();
        connection.post(FILE.length, out -> out.write(FILE));
        status = 403;
        assertFailure(
                "the answer is HTTP 403", LaneFailure.CONTENT, () -> connection.post(9, out -> out.write(FILE, 0, 9)));
        byte[] longer = new byte[FILE.length + 1];
        assertFailure(
                "the answer is HTTP 403",
                LaneFailure.TOO_LARGE,
                () -> connection.post(longer.length, out -> out.write(longer)));
    }

    @Test
    void requestIsRepeatedUntilBrokenOnesHaveEnded() throws Exception {
        busy.set(2);
        connection().post(FILE.length, out -> out.write(FILE));
        assertEquals(3, requests.availablePermits());
        busy.set(2);
        answer = FILE;
        status = 200;
        byte[] got = new byte[FILE.length];
        connection().fetch(0, FILE.length, in -> in.readFully(got));
        assertArrayEquals(FILE, got);
    }

    @Test
    void requestIsNotRepeatedForever() throws Exception {
        busy.set(Integer.MAX_VALUE);
        assertFailure(
                "no answer within 300 ms",
                LaneFailure.STALLED,
                () -> connection(300).post(FILE.length, out -> out.write(FILE)));
    }

    private static void assertFailure(String reason, LaneFailure cause, Executable request) {
        IOException failure = assertThrows(IOException.class, request);
        assertEquals(reason, failure.getMessage());
        assertEquals(cause, LaneFailure.of(failure));
    }

    /**
     * The JDK would log in automatically if it could resend the body. No size limit applies to a request without a body,
     * so that 403 means that a login is required.
     */
    @ParameterizedTest
    @CsvSource({"401, WWW-Authenticate, LOGIN", "407, Proxy-Authenticate, PROXY_LOGIN", "403, , LOGIN"})
    void reportsRequiredLogin(int code, String header, LaneFailure cause) throws Exception {
        status = code;
        challenge = header;
        IOException failure = assertThrows(IOException.class, () -> connection().probe());
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

    @ParameterizedTest
    @CsvSource({
        "200, the answer is HTTP 200, REFUSED",
        "204, the answer is not from this plugin, WRONG_SERVER",
        "206, the answer is HTTP 206, REFUSED",
        "302, the answer is HTTP 302, REDIRECT",
        "308, the answer is HTTP 308, REDIRECT",
        "404, the answer is HTTP 404, REFUSED"
    })
    void rejectsResponseThatIsNoRange(int code, String reason, LaneFailure cause) throws Exception {
        status = code;
        assertFailure(reason, cause, () -> connection().fetch(0, FILE.length, in -> {}));
        assertEquals("/", last.getRequestURI().getPath(), "the token goes nowhere else");
    }

    @Test
    void missingResponseTimesOut() throws Exception {
        status = 0;
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
            HttpLaneConnection connection = new HttpLaneConnection(
                    new URL(Offers.url(full.getLocalPort())), new LaneKeys(FakeReceipts.SECRET), 300);
            assertFailure("no answer within 300 ms", LaneFailure.TIMEOUT, connection::probe);
        }
    }

    /** Each byte arrives within the limit of a single read. */
    @Test
    void slowlyDrippingResponseTimesOut() throws Exception {
        try (ServerSocket dripping = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            threads.submit(() -> {
                try (Socket socket = dripping.accept()) {
                    socket.getInputStream().read();
                    String head = "HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n" + DirectLaneOffer.ANSWER_HEADER + ": "
                            + end.keys.answer(1, LaneKeys.answerHead(1, 200, 10_000, 0)) + "\r\n\r\n";
                    socket.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
                    while (!mayRespond.await(1, TimeUnit.MILLISECONDS)) {
                        socket.getOutputStream().write(1);
                    }
                }
                return null;
            });
            HttpLaneConnection connection = new HttpLaneConnection(
                    new URL(Offers.url(dripping.getLocalPort())), new LaneKeys(FakeReceipts.SECRET), 300);
            assertFails(
                    "no answer within 300 ms", () -> connection.fetch(0, 10_000, in -> in.readFully(new byte[10_000])));
        }
    }

    @Test
    void onlyOverlongRequestIsStalled() throws Exception {
        HttpLaneConnection connection = connection(300);
        connection.probe();
        assertFalse(connection.isStalled());
        status = 0;
        Future<?> running = threads.submit(() -> assertThrows(IOException.class, connection::probe));
        while (!connection.isStalled() && !running.isDone()) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        running.get();
        assertFalse(connection.isStalled());
    }
}
