package io.jenkins.plugins.compressionaware.testing;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.flow.RangeRequest;
import io.jenkins.plugins.compressionaware.engine.http.Seal;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A proxy before an HTTP server, which fails like a faulty server, proxy or network. */
public final class FaultyHttpProxy extends Interposed {
    private final AtomicInteger bodies = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile Script script;
    private volatile String response;
    private volatile String last;

    /** Decides what happens to each request. Called by several threads. */
    @FunctionalInterface
    public interface Script {
        /**
         * Returns null to pass the request.
         *
         * @param body number of this request among those with a body, from 1; 0 for a probe, which has none
         */
        @CheckForNull
        Fault next(int body) throws IOException;
    }

    /** A fault of all requests. Only faults with a response, and one more, also affect probes. */
    public enum Fault implements Script {
        FORBIDDEN("403 Forbidden"),
        NOT_FOUND("404 Not Found"),
        TOO_MANY_REQUESTS("429 Too Many Requests\r\nRetry-After: 1"),
        BAD_GATEWAY("502 Bad Gateway"),
        REDIRECT("302 Found\r\nLocation: /login"),
        OK_OF_SOMETHING_ELSE("200 OK"),
        NO_CONTENT_OF_SOMETHING_ELSE("204 No Content"),
        PROBE_UNANSWERED(null),
        TOO_LARGE("413 Content Too Large") {
            @Override
            public Fault next(int body) {
                return body == 0 ? null : this;
            }
        },
        UNREAD(null),
        UNANSWERED(null),
        DIES_HALFWAY(null),
        FALLS_SILENT_HALFWAY(null),
        RECEIPT_LOST(null),
        /** Answers after 300 ms. */
        LATE(null);

        private final String response;

        Fault(@CheckForNull String response) {
            this.response = response;
        }

        @Override
        public Fault next(int body) {
            return body > 0 || response != null || this == PROBE_UNANSWERED ? this : null;
        }

        /** Returns part of the expected message in the build log. */
        public String reason() {
            return switch (this) {
                case NO_CONTENT_OF_SOMETHING_ELSE -> "the answer is not from this plugin";
                case PROBE_UNANSWERED, UNREAD, UNANSWERED, FALLS_SILENT_HALFWAY -> "no answer within";
                default -> response == null ? "" : "HTTP " + response.substring(0, 3);
            };
        }
    }

    private record Request(String head, int length) {}

    /**
     * @param target port of a working server on this machine
     * @param script may be a {@link Fault}
     */
    public FaultyHttpProxy(int target, Script script) throws IOException {
        super(target);
        this.script = script;
        listen();
    }

    /** Sets what happens to later requests. */
    public void become(Script next) {
        script = next;
    }

    /** Sets the response to all later requests: status, reason and headers, with a body of this length. */
    public void respond(String head, int length) {
        response = response(head, length);
    }

    /** Returns the head of the latest request. */
    public String last() {
        return last;
    }

    /** Returns the number of requests with a body that met a fault. */
    public int bodies() {
        return failed.get();
    }

    @Override
    void serve(Socket near) throws IOException {
        try (Socket far = far()) {
            for (Request request = read(near.getInputStream());
                    request != null && serve(request, near, far);
                    request = read(near.getInputStream())) {}
        }
    }

    private static Request read(InputStream in) throws IOException {
        String head = head(in);
        return head == null ? null : new Request(head, length(head));
    }

    /** Returns whether to keep the connection. */
    private boolean serve(Request request, Socket near, Socket far) throws IOException {
        last = request.head;
        InputStream in = near.getInputStream();
        if (response != null) {
            copy(in, OutputStream.nullOutputStream(), request.length);
            send(response, near);
            return true;
        }
        Fault fault = script.next(request.length == 0 ? 0 : bodies.incrementAndGet());
        if (fault == null) {
            pass(request, near, far, 1);
            return true;
        }
        if (request.length > 0) {
            failed.incrementAndGet();
        }
        switch (fault) {
            case UNREAD -> await(Long.MAX_VALUE);
            case PROBE_UNANSWERED, UNANSWERED -> {
                copy(in, OutputStream.nullOutputStream(), request.length);
                in.read();
            }
            case DIES_HALFWAY, FALLS_SILENT_HALFWAY -> {
                if (request.length == Seal.sealedLength(RangeRequest.BYTES)) {
                    pass(request, near, far, 2);
                } else {
                    send(request.head, far);
                    copy(in, far.getOutputStream(), request.length / 2);
                }
                if (fault == Fault.FALLS_SILENT_HALFWAY) {
                    await(Long.MAX_VALUE);
                }
            }
            case RECEIPT_LOST -> {
                send(request.head, far);
                copy(in, far.getOutputStream(), request.length);
                head(far.getInputStream());
            }
            case LATE -> {
                await(300);
                pass(request, near, far, 1);
                return true;
            }
            default -> {
                copy(in, OutputStream.nullOutputStream(), request.length);
                send(response(fault.response, fault.response.startsWith("204") ? 0 : 2), near);
                return true;
            }
        }
        return false;
    }

    private static String response(String head, int length) {
        return "HTTP/1.1 " + head + "\r\nContent-Length: " + length + "\r\n\r\n" + "x".repeat(length);
    }

    private static void send(String text, Socket to) throws IOException {
        to.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Waits until the proxy is closed, or for so many milliseconds. */
    private void await(long millis) throws IOException {
        try {
            closed.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    /** @param part divisor of the answer's body: 1 for all, 2 for half */
    private static void pass(Request request, Socket near, Socket far, int part) throws IOException {
        send(request.head, far);
        copy(near.getInputStream(), far.getOutputStream(), request.length);
        String head = head(far.getInputStream());
        if (head == null) {
            throw new EOFException();
        }
        send(head, near);
        copy(far.getInputStream(), near.getOutputStream(), length(head) / part);
    }

    private static void copy(InputStream in, OutputStream out, int length) throws IOException {
        byte[] buffer = new byte[1 << 16];
        for (int left = length; left > 0; ) {
            int n = in.read(buffer, 0, Math.min(left, buffer.length));
            if (n < 0) {
                throw new EOFException();
            }
            out.write(buffer, 0, n);
            left -= n;
        }
    }

    @Override
    public void close() throws IOException {
        closed.countDown();
        super.close();
    }
}
