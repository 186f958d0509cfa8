package io.jenkins.plugins.compressionaware.testing;

import io.jenkins.plugins.compressionaware.engine.store.PartChecksum;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** A store that answers requests like S3, and fails on demand. It verifies the signatures of agents, their time, and checksums. */
public final class FakeStore extends FakeBucket implements AutoCloseable {
    public static final String REGION = "eu-test-1";

    private final SigV4 keys = new SigV4("AKID", "secret", REGION);
    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final AtomicInteger running = new AtomicInteger();
    private volatile Function<Request, String> fault = request -> null;
    private volatile Duration ahead = Duration.ZERO;

    public final AtomicInteger requests = new AtomicInteger();
    public final AtomicInteger most = new AtomicInteger();
    public final AtomicInteger accepted = new AtomicInteger();

    /** Breaks the connection before the body is read. */
    public static final String RESET = "reset";

    /** Breaks the connection after half of the body was read or sent. */
    public static final String HALF = "half";

    /** Reads half of the body, and never answers. */
    public static final String SILENT = "silent";

    /** Reads nothing of the body, and never answers. */
    public static final String UNREAD = "unread";

    /** Changes a byte of the body that arrives. */
    public static final String DAMAGE = "damage";

    /** Accepts a body, whatever its checksum. */
    public static final String UNCHECKED = "unchecked";

    /** Refuses the request without reading its body, and closes the connection. */
    public static final String EARLY = "early ";

    /** A request from an agent. */
    public record Request(
            int number, String method, String path, Map<String, String> query, Map<String, String> headers) {
        public int part() {
            return Integer.parseInt(query.getOrDefault("partNumber", "0"));
        }
    }

    public FakeStore() throws IOException {
        Thread thread = new Thread(this::accept, "fake store");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Sets the fault of later requests: a function that returns null to serve a request, a constant of this class, or the status of the response with its code,
     * such as {@code 503 SlowDown}.
     */
    public void fail(Function<Request, String> fault) {
        this.fault = fault;
    }

    /** Sets by how much the clock of the store is ahead. */
    public void setClockAhead(Duration ahead) {
        this.ahead = ahead;
    }

    /** Returns a signed URL for an object or a part of it. */
    public String sign(String method, String path, Map<String, String> headers, Duration valid) {
        URI url = URI.create("http://localhost:" + server.getLocalPort() + path);
        return keys.sign(method, url, headers, Instant.now(), valid.toSeconds());
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                accepted.incrementAndGet();
                connections.add(socket);
                Thread thread = new Thread(() -> serve(socket), "fake store");
                thread.setDaemon(true);
                thread.start();
            } catch (IOException e) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            for (String head = Interposed.head(socket.getInputStream());
                    head != null && serve(parse(head), socket);
                    head = Interposed.head(socket.getInputStream())) {}
        } catch (IOException | InterruptedException e) {
            // the connection is broken
        }
    }

    private Request parse(String head) {
        String[] lines = head.split("\r\n");
        String[] first = lines[0].split(" ");
        int mark = first[1].indexOf('?');
        Map<String, String> headers = new HashMap<>();
        Arrays.stream(lines).skip(1).filter(line -> line.contains(":")).forEach(line -> {
            String[] parts = line.split(":", 2);
            headers.put(parts[0].toLowerCase(Locale.ROOT), parts[1].trim());
        });
        String path = mark < 0 ? first[1] : first[1].substring(0, mark);
        String query = mark < 0 ? null : first[1].substring(mark + 1);
        return new Request(requests.incrementAndGet(), first[0], path, SigV4.parse(query), headers);
    }

    private boolean serve(Request request, Socket socket) throws IOException, InterruptedException {
        most.accumulateAndGet(running.incrementAndGet(), Math::max);
        try {
            String result = fault.apply(request);
            if (RESET.equals(result)) {
                socket.setSoLinger(true, 0);
                return false;
            }
            if (UNREAD.equals(result)) {
                closed.await();
            }
            if (result != null && result.startsWith(EARLY)) {
                answer(socket, result.substring(EARLY.length()), new byte[0], "");
                // the other end may still send, which resets the connection
                return false;
            }
            if (request.headers.containsKey("expect") && (result == null || !Character.isDigit(result.charAt(0)))) {
                send(socket, "HTTP/1.1 100 Continue\r\n\r\n");
            }
            if (!request.query.containsKey("X-Amz-Signature")) {
                byte[] body = socket.getInputStream()
                        .readNBytes(Integer.parseInt(request.headers.getOrDefault("content-length", "0")));
                Answer answer = result == null ? control(request, body) : new Answer(result, "", "");
                answer(socket, answer.result(), answer.xml().getBytes(StandardCharsets.UTF_8), answer.headers());
                return true;
            }
            return request.method.equals("PUT") ? store(request, result, socket) : read(request, result, socket);
        } finally {
            running.decrementAndGet();
        }
    }

    private boolean store(Request request, String result, Socket socket) throws IOException, InterruptedException {
        int length = Integer.parseInt(request.headers.get("content-length"));
        InputStream in = socket.getInputStream();
        if (HALF.equals(result) || SILENT.equals(result)) {
            in.readNBytes(length / 2);
            if (SILENT.equals(result)) {
                closed.await();
            }
            return false;
        }
        byte[] body = in.readNBytes(length);
        if (DAMAGE.equals(result)) {
            body[length / 2] ^= 1;
        } else if (result != null && !UNCHECKED.equals(result)) {
            answer(socket, result, new byte[0], "");
            return true;
        }
        String refusal = UNCHECKED.equals(result) ? null : refusal(request, body);
        if (refusal != null) {
            answer(socket, refusal, new byte[0], "");
            return true;
        }
        if (!keep(request, body)) {
            answer(socket, "404 NoSuchUpload", new byte[0], "");
            return true;
        }
        answer(socket, "200", new byte[0], "ETag: " + tag(body) + "\r\n");
        return true;
    }

    /** Returns the response to a request that must be refused; null if it must not. */
    private String refusal(Request request, byte[] body) {
        if (!keys.verifies(request.method, request.path, request.query, request.headers)) {
            return "403 SignatureDoesNotMatch";
        }
        Instant now = Instant.now().plus(ahead);
        if (now.isAfter(SigV4.end(request.query))) {
            return "403 AccessDenied Request has expired";
        }
        if (now.isBefore(SigV4.start(request.query).minus(Duration.ofMinutes(15)))) {
            return "403 AccessDenied Request is not valid yet";
        }
        for (PartChecksum checksum : PartChecksum.values()) {
            String expected = request.headers.get(checksum.header().toLowerCase(Locale.ROOT));
            if (expected != null && !expected.equals(checksum.of(body, body.length))) {
                return "400 BadDigest";
            }
        }
        return null;
    }

    private boolean read(Request request, String result, Socket socket) throws IOException, InterruptedException {
        if (SILENT.equals(result)) {
            closed.await();
        }
        byte[] object = object(request.path);
        String refusal = result == null || HALF.equals(result) || DAMAGE.equals(result) ? null : result;
        refusal = refusal == null ? refusal(request, new byte[0]) : refusal;
        refusal = refusal == null && object == null ? "404 NoSuchKey" : refusal;
        if (refusal == null && !tag(object).equals(request.headers.get("if-match"))) {
            refusal = "412 PreconditionFailed";
        }
        if (refusal != null) {
            answer(socket, refusal, new byte[0], "");
            return true;
        }
        String[] range = request.headers.get("range").replace("bytes=", "").split("-");
        int from = Integer.parseInt(range[0]);
        int to = Integer.parseInt(range[1]) + 1;
        byte[] body = Arrays.copyOfRange(object, from, to);
        String head = "Content-Range: bytes " + range[0] + '-' + range[1] + '/' + object.length + "\r\n";
        if (HALF.equals(result)) {
            send(socket, "HTTP/1.1 206 x\r\n" + head + "Content-Length: " + body.length + "\r\n\r\n");
            socket.getOutputStream().write(body, 0, body.length / 2);
            return false;
        }
        answer(socket, "206", body, head);
        return true;
    }

    public int port() {
        return server.getLocalPort();
    }

    private void answer(Socket socket, String result, byte[] body, String headers) throws IOException {
        String[] parts = result.split(" ", 3);
        byte[] content = parts.length < 2
                ? body
                : ("<Error><Code>" + parts[1] + "</Code><Message>" + (parts.length < 3 ? "" : parts[2])
                                + "</Message></Error>")
                        .getBytes(StandardCharsets.UTF_8);
        String date = DateTimeFormatter.RFC_1123_DATE_TIME.format(
                Instant.now().plus(ahead).atZone(ZoneOffset.UTC));
        send(
                socket,
                "HTTP/1.1 " + parts[0] + " x\r\nDate: " + date + "\r\n" + headers
                        + (headers.contains("Content-Length:") ? "" : "Content-Length: " + content.length + "\r\n")
                        + "\r\n");
        socket.getOutputStream().write(content);
    }

    private static void send(Socket socket, String text) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
    }

    @Override
    public void close() throws IOException {
        closed.countDown();
        server.close();
        for (Socket socket : connections) {
            socket.close();
        }
    }
}
