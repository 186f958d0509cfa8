package io.jenkins.plugins.compressionaware.transfer;

import static io.jenkins.plugins.compressionaware.testkit.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.jenkins.plugins.compressionaware.testkit.LaneEnd;
import io.jenkins.plugins.compressionaware.testkit.Threads;
import io.jenkins.plugins.compressionaware.testkit.Tls;
import java.io.IOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests one by one, against a server that answers as it is told. */
@Timeout(30)
class EndpointConnectionTest {
    private static final byte[] FILE = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Set<InetSocketAddress> connections = ConcurrentHashMap.newKeySet();
    private final Semaphore asked = new Semaphore(0);
    private final CountDownLatch mayAnswer = new CountDownLatch(1);
    private final LaneEnd end = new LaneEnd();
    private HttpServer server;
    private int status = DirectOffer.TAKEN_STATUS;
    private String taken;
    private String challenge;
    private byte[] answer = {};
    private volatile HttpExchange last;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        mayAnswer.countDown();
        server.stop(0);
        Threads.end(threads);
    }

    private void answer(HttpExchange exchange) throws IOException {
        connections.add(exchange.getRemoteAddress());
        LaneEnd.Taken request = end.verified(exchange);
        int length = end.body(exchange, request).readAllBytes().length;
        last = exchange;
        asked.release();
        if (status == 0) {
            await(mayAnswer);
            return;
        }
        String range = exchange.getRequestHeaders().getFirst("Range");
        if (range == null) {
            end.receipt(exchange, request, taken == null ? length : Integer.parseInt(taken), 3);
        } else {
            String given = range.replace('=', ' ') + "/1000";
            exchange.getResponseHeaders().set("Content-Range", given);
            if (status == 206 && taken == null) {
                end.give(exchange, request, given, answer, answer.length);
                exchange.close();
                return;
            }
        }
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

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private EndpointConnection connection(long limit) throws IOException {
        return connection(new URL("http://127.0.0.1:" + server.getAddress().getPort() + "/"), limit);
    }

    private static EndpointConnection connection(URL url, long limit) {
        return EndpointConnection.to(url, new LaneKeys(LaneEnd.SECRET), false, limit);
    }

    private EndpointConnection connection() throws IOException {
        return connection(20_000);
    }

    private String header(String name) {
        return last.getRequestHeaders().getFirst(name);
    }

    @Test
    void probesAskHowManyRequestsMayRun() throws Exception {
        assertEquals(3, connection().probe());
        assertEquals("POST", last.getRequestMethod());
        assertEquals(3, connection().probeGet());
        assertEquals("GET", last.getRequestMethod());
    }

    @Test
    void requestsShareAConnection() throws Exception {
        EndpointConnection connection = connection();
        for (int i = 0; i < 3; i++) {
            connection.post(FILE.length, out -> out.write(FILE));
        }
        assertEquals("application/octet-stream", header("Content-Type"));
        assertEquals("identity", header("Accept-Encoding"));
        answer = FILE;
        status = 206;
        byte[] got = new byte[FILE.length];
        for (int i = 0; i < 3; i++) {
            connection.get(7, FILE.length, in -> in.readFully(got));
        }
        assertEquals("bytes=7-16", header("Range"));
        assertArrayEquals(FILE, got);
        assertEquals(1, connections.size(), "connections were not kept");
    }

    @Test
    void anAnswerThatIsNoReceiptLeavesTheConnection() throws Exception {
        EndpointConnection connection = connection();
        status = 503;
        answer = new byte[60_000];
        for (int i = 0; i < 3; i++) {
            assertThrows(IOException.class, () -> connection.post(FILE.length, out -> out.write(FILE)));
            assertThrows(IOException.class, () -> connection.get(0, FILE.length, in -> {}));
        }
        assertEquals(1, connections.size(), "connections were not kept");
    }

    @ParameterizedTest
    @CsvSource({
        "204, 9, something else answers there, SOMETHING_ELSE",
        "200, 10, the answer is HTTP 200, REFUSED",
        "302, 10, the answer is HTTP 302, REDIRECT",
        "308, 10, the answer is HTTP 308, REDIRECT",
        "401, 10, the answer is HTTP 401, LOGIN",
        "403, 10, the answer is HTTP 403, TOO_LARGE",
        "407, 10, the answer is HTTP 407, PROXY_LOGIN",
        "413, 10, the answer is HTTP 413, TOO_LARGE",
        "502, 10, the answer is HTTP 502, REFUSED",
        "404, 10, the answer is HTTP 404, REFUSED"
    })
    void whatIsNoReceipt(int code, String header, String reason, LaneTrouble kind) throws Exception {
        status = code;
        taken = header;
        IOException failure =
                assertThrows(IOException.class, () -> connection().post(FILE.length, out -> out.write(FILE)));
        assertEquals(reason, failure.getMessage());
        assertEquals(kind, LaneTrouble.of(failure));
        assertEquals("/", last.getRequestURI().getPath(), "the token goes nowhere else");
    }

    /** The JDK would log in by itself if it could send the body again. */
    @ParameterizedTest
    @CsvSource({"401, WWW-Authenticate, LOGIN", "407, Proxy-Authenticate, PROXY_LOGIN"})
    void loginsThatAreAskedFor(int code, String header, LaneTrouble kind) throws Exception {
        status = code;
        challenge = header;
        IOException failure = assertThrows(IOException.class, () -> connection().probe());
        assertEquals(kind, LaneTrouble.of(failure));
    }

    @Test
    void certificatesForAnotherName() {
        assertEquals(LaneTrouble.UNTRUSTED, LaneTrouble.of(new SSLPeerUnverifiedException("no")));
        assertEquals(
                LaneTrouble.UNTRUSTED,
                LaneTrouble.of(new IOException("HTTPS hostname wrong:  should be <ci.example>")));
        assertEquals(LaneTrouble.OTHER, LaneTrouble.of(new IOException()));
    }

    /** A request without a body meets no limit of size, so something asks for a login. */
    @Test
    void forbiddenProbe() throws Exception {
        status = 403;
        IOException failure = assertThrows(IOException.class, () -> connection().probe());
        assertEquals(LaneTrouble.LOGIN, LaneTrouble.of(failure));
    }

    @ParameterizedTest
    @CsvSource({
        "206, 9, something else answers there, SOMETHING_ELSE",
        "200, 10, the answer is HTTP 200, REFUSED",
        "204, 10, something else answers there, SOMETHING_ELSE",
        "302, 10, the answer is HTTP 302, REDIRECT",
        "308, 10, the answer is HTTP 308, REDIRECT",
        "404, 10, the answer is HTTP 404, OTHER",
        "416, 10, the answer is HTTP 416, REFUSED"
    })
    void whatIsNoPiece(int code, String header, String reason, LaneTrouble kind) throws Exception {
        status = code;
        taken = header;
        IOException failure = assertThrows(IOException.class, () -> connection().get(0, FILE.length, in -> {}));
        assertEquals(reason, failure.getMessage());
        assertEquals(kind, LaneTrouble.of(failure));
        assertEquals("/", last.getRequestURI().getPath(), "the token goes nowhere else");
    }

    @Test
    void anAnswerThatDoesNotCome() throws Exception {
        status = 0;
        EndpointConnection connection = connection(300);
        IOException failure = assertThrows(IOException.class, connection::probe);
        assertEquals("no answer within 300 ms", failure.getMessage());
        assertEquals(LaneTrouble.SILENT, LaneTrouble.of(failure));
        assertFalse(connection.isStalled(), "nothing runs any more");
    }

    @Test
    void onlyARequestThatRunsTooLongIsBrokenOff() throws Exception {
        EndpointConnection connection = connection();
        connection.abortIfStalled(Runnable::run);
        assertEquals(3, connection.probe());
        status = 0;
        Future<?> running = threads.submit(() -> assertThrows(IOException.class, connection::probe));
        asked.acquire(2);
        connection.abortIfStalled(Runnable::run);
        assertFalse(running.isDone());
        connection.abort(Runnable::run);
        running.get();
    }

    /** The JDK closes a plain connection only when nobody reads from it any more. */
    @Test
    void anAbortDoesNotWaitForAnAnswerThatStalls() throws Exception {
        CountDownLatch reading = new CountDownLatch(1);
        try (ServerSocket stalling = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            threads.submit(() -> {
                try (Socket socket = stalling.accept()) {
                    socket.getInputStream().read();
                    socket.getOutputStream()
                            .write(("HTTP/1.1 206 Partial Content\r\nContent-Length: 10\r\n"
                                            + DirectOffer.ANSWER_HEADER + ": "
                                            + end.keys.answer(1, LaneKeys.rangeHead(1, "bytes 0-9/1000"))
                                            + "\r\nContent-Range: bytes 0-9/1000\r\n\r\n1")
                                    .getBytes(StandardCharsets.ISO_8859_1));
                    await(mayAnswer);
                }
                return null;
            });
            EndpointConnection stalled = EndpointConnection.to(
                    new URL("http://127.0.0.1:" + stalling.getLocalPort() + "/"),
                    new LaneKeys(LaneEnd.SECRET),
                    true,
                    5_000);
            Future<?> fetching = threads.submit(() -> {
                stalled.get(0, 10, in -> {
                    in.readByte();
                    reading.countDown();
                    in.readByte();
                });
                return null;
            });
            reading.await();
            List<Runnable> aside = new ArrayList<>();
            stalled.abort(aside::add);
            assertEquals(1, aside.size(), "what may wait is left to another thread");
            assertFalse(fetching.isDone());
            aside.get(0).run();
            assertThrows(ExecutionException.class, fetching::get);
        }
    }

    /** The JDK cannot be reached while it resolves a name; and a request that writes to a server that does not read has no other limit. */
    @Test
    void anAbortThatCameTooEarlyIsTriedAgain() throws Exception {
        Unreachable unreachable = new Unreachable();
        EndpointConnection stalled = connection(unreachable.url(), 1);
        Future<?> sending = threads.submit(() -> stalled.post(1, out -> out.write(1)));
        unreachable.resolving.await();
        while (!stalled.isStalled()) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        stalled.abortIfStalled(Runnable::run);
        assertTrue(stalled.isStalled(), "whoever uses the connection must still hear of it");
        unreachable.resolved.countDown();
        unreachable.writing.await();
        while (!sending.isDone()) {
            stalled.abortIfStalled(Runnable::run);
            TimeUnit.MILLISECONDS.sleep(1);
        }
        assertThrows(ExecutionException.class, sending::get);
    }

    private static final class Unreachable extends URLStreamHandler {
        private final CountDownLatch resolving = new CountDownLatch(1);
        private final CountDownLatch resolved = new CountDownLatch(1);
        private final CountDownLatch writing = new CountDownLatch(1);
        private final CountDownLatch broken = new CountDownLatch(1);

        URL url() throws IOException {
            return new URL(null, "http://far.example/", this);
        }

        @Override
        protected URLConnection openConnection(URL url) {
            return new HttpURLConnection(url) {
                @Override
                public void connect() throws IOException {
                    resolving.countDown();
                    await(resolved);
                }

                @Override
                public OutputStream getOutputStream() throws IOException {
                    writing.countDown();
                    await(broken);
                    throw new SocketException("Socket closed");
                }

                @Override
                public void disconnect() {
                    if (resolved.getCount() == 0) {
                        broken.countDown();
                    }
                }

                @Override
                public boolean usingProxy() {
                    return false;
                }
            };
        }
    }

    @Test
    void afterAnAbortThereIsNoRequest() throws Exception {
        EndpointConnection connection = connection();
        connection.abort(Runnable::run);
        assertFails("the transfer is over", connection::probe);
        assertTrue(connections.isEmpty());
    }

    /** A TLS socket's own close would wait for the write that does not end. */
    @Test
    void aStalledWriteOverTlsIsBrokenOff(@TempDir Path tmp) throws Exception {
        try (Tls tls = Tls.create(tmp);
                ServerSocket silent = tls.context()
                        .getServerSocketFactory()
                        .createServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            tls.trust();
            threads.submit(() -> {
                try (Socket socket = silent.accept()) {
                    socket.getInputStream().read();
                    await(mayAnswer);
                }
                return null;
            });
            EndpointConnection connection =
                    connection(new URL("https://localhost:" + silent.getLocalPort() + "/"), 1500);
            threads.submit(() -> {
                while (true) {
                    TimeUnit.MILLISECONDS.sleep(50);
                    connection.abortIfStalled(Runnable::run);
                }
            });
            byte[] mebibyte = new byte[1 << 20];
            assertFails(
                    "no answer within 1500 ms",
                    () -> connection.post(100 * mebibyte.length, out -> {
                        for (int i = 0; i < 100; i++) {
                            out.write(mebibyte);
                        }
                    }));
        }
    }
}
