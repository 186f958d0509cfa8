package io.jenkins.plugins.compressionaware.testing;

import io.jenkins.plugins.compressionaware.engine.flow.RangeRequest;
import io.jenkins.plugins.compressionaware.engine.http.Seal;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/** A proxy before an HTTP server, which fails like a faulty server, proxy or network. */
public final class FaultyHttpProxy extends Interposed {
    private final AtomicInteger bodies = new AtomicInteger();
    private volatile Fault fault;

    /** A fault of requests. Only the first few faults also affect probes, which have no body. */
    public enum Fault {
        FORBIDDEN("HTTP 403"),
        NOT_FOUND("HTTP 404"),
        BAD_GATEWAY("HTTP 502"),
        REDIRECT("HTTP 302"),
        OK_OF_SOMETHING_ELSE("HTTP 200"),
        NO_CONTENT_OF_SOMETHING_ELSE("the answer is not from this plugin"),
        PROBE_UNANSWERED("no answer within"),
        TOO_LARGE("HTTP 413"),
        UNREAD("no answer within"),
        UNANSWERED("no answer within"),
        DIES_HALFWAY(""),
        RECEIPT_LOST("");

        private final String reason;

        Fault(String reason) {
            this.reason = reason;
        }

        /** Returns part of the expected message in the build log. */
        public String reason() {
            return reason;
        }
    }

    private record Request(String head, int length) {}

    /**
     * @param target port of a working server on this machine
     * @param fault  null to pass all requests until {@link #become}
     */
    public FaultyHttpProxy(int target, Fault fault) throws IOException {
        super(target);
        this.fault = fault;
        listen();
    }

    /** Sets the fault for later requests. */
    public void become(Fault next) {
        fault = next;
    }

    /** Returns the number of requests with a body that met the fault. */
    public int bodies() {
        return bodies.get();
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
        boolean fetches =
                request.length == RangeRequest.BYTES || request.length == Seal.sealedLength(RangeRequest.BYTES);
        boolean probe = request.length == 0;
        Fault now = fault;
        if (now == null) {
            pass(request, near, far, 1);
            return true;
        }
        switch (now) {
            case FORBIDDEN, NOT_FOUND, BAD_GATEWAY, REDIRECT, OK_OF_SOMETHING_ELSE, NO_CONTENT_OF_SOMETHING_ELSE:
                copy(near.getInputStream(), OutputStream.nullOutputStream(), request.length);
                answer(near, now);
                return true;
            case PROBE_UNANSWERED:
                near.getInputStream().read();
                return false;
            default:
        }
        if (probe) {
            pass(request, near, far, 1);
            return true;
        }
        bodies.incrementAndGet();
        switch (now) {
            case TOO_LARGE -> {
                copy(near.getInputStream(), OutputStream.nullOutputStream(), request.length);
                answer(near, now);
                return true;
            }
            case UNREAD -> await();
            case UNANSWERED -> {
                copy(near.getInputStream(), OutputStream.nullOutputStream(), request.length);
                near.getInputStream().read();
            }
            case DIES_HALFWAY -> {
                if (fetches) {
                    pass(request, near, far, 2);
                    return false;
                }
                far.getOutputStream().write(request.head.getBytes(StandardCharsets.ISO_8859_1));
                copy(near.getInputStream(), far.getOutputStream(), request.length / 2);
            }
            case RECEIPT_LOST -> {
                far.getOutputStream().write(request.head.getBytes(StandardCharsets.ISO_8859_1));
                copy(near.getInputStream(), far.getOutputStream(), request.length);
                head(far.getInputStream());
            }
            default -> throw new AssertionError(now);
        }
        return false;
    }

    /** Waits until the proxy is closed. */
    private synchronized void await() {
        while (!server.isClosed()) {
            try {
                wait();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private static void answer(Socket near, Fault fault) throws IOException {
        String answer =
                switch (fault) {
                    case FORBIDDEN -> "403 Forbidden\r\nContent-Length: 2";
                    case NOT_FOUND -> "404 Not Found\r\nContent-Length: 2";
                    case BAD_GATEWAY -> "502 Bad Gateway\r\nContent-Length: 2";
                    case TOO_LARGE -> "413 Content Too Large\r\nContent-Length: 2";
                    case REDIRECT -> "302 Found\r\nLocation: /login\r\nContent-Length: 2";
                    case OK_OF_SOMETHING_ELSE -> "200 OK\r\nContent-Length: 2";
                    case NO_CONTENT_OF_SOMETHING_ELSE -> "204 No Content";
                    default -> throw new AssertionError(fault);
                };
        String body = fault == Fault.NO_CONTENT_OF_SOMETHING_ELSE ? "" : "no";
        near.getOutputStream().write(("HTTP/1.1 " + answer + "\r\n\r\n" + body).getBytes(StandardCharsets.ISO_8859_1));
    }

    /** @param part divisor of the answer's body: 1 for all, 2 for half */
    private static void pass(Request request, Socket near, Socket far, int part) throws IOException {
        far.getOutputStream().write(request.head.getBytes(StandardCharsets.ISO_8859_1));
        copy(near.getInputStream(), far.getOutputStream(), request.length);
        String head = head(far.getInputStream());
        if (head == null) {
            throw new EOFException();
        }
        near.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
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
        super.close();
        synchronized (this) {
            notifyAll();
        }
    }
}
