package io.jenkins.plugins.compressionaware.engine.http;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.flow.RangeRequest;
import java.io.DataInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Sends requests to the controller's endpoint, one at a time, over a persistent {@link HttpURLConnection}, because agents have already loaded that class.
 * Both ends tag the heads of their messages, and bodies are sealed even over https, because a proxy may end TLS.
 * Used by one thread, except for {@link #isStalled}; a request cannot be interrupted, but each of its reads has a time limit.
 */
@Restricted(NoExternalUse.class)
public final class HttpLaneConnection {
    /** Maximum bytes read from a response that is not from this plugin. After a longer response, the connection is not reused. */
    private static final int MAX_ANSWER = 64 * 1024;

    /** Result of a request that must be repeated. */
    private static final int BUSY = -1;

    private final URL url;
    private final LaneKeys keys;
    private final long limitMillis;
    private final LongSupplier clock;
    private final AtomicInteger longest;

    private volatile long deadline;
    private volatile boolean running;

    /**
     * @param limitMillis time limit for a whole request, and for each of its steps
     * @param clock       nanoseconds, for the time limit of a whole request
     * @param longest     length of the longest body that has passed on any connection of the transfer, bytes
     */
    public HttpLaneConnection(URL url, LaneKeys keys, long limitMillis, LongSupplier clock, AtomicInteger longest) {
        this.clock = clock;
        this.longest = longest;
        this.url = url;
        this.keys = keys;
        this.limitMillis = limitMillis;
    }

    static IOException timeout(long millis) {
        return new SocketTimeoutException("no answer within " + millis + " ms");
    }

    /** Returns the failure of a request to an address that accepts connections. */
    static IOException unanswered(long millis) {
        return new WrongAnswerException(timeout(millis).getMessage(), LaneFailure.STALLED);
    }

    public interface Body {
        void writeTo(OutputStream out) throws IOException;
    }

    /** Reads a response body, which has the requested length. */
    public interface Sink {
        void readFrom(DataInputStream in) throws IOException;
    }

    /**
     * Sends an empty request. Returns how many requests with a body may run in parallel, 0 if none may.
     *
     * @throws IOException with the reason, if the endpoint does not respond as expected
     */
    public int probe() throws IOException {
        return exchange(0, out -> {}, 0, null);
    }

    /**
     * Sends bytes and waits until the receiver has acknowledged all of them.
     *
     * @throws IOException with the reason, if the receiver may not have them
     */
    public void post(int length, Body body) throws IOException {
        exchange(length, body, length, null);
    }

    /**
     * Downloads a range of the controller's frame file.
     *
     * @throws IOException if bytes are missing; {@code sink} may have read some of them
     */
    public void fetch(RangeRequest request, Sink sink) throws IOException {
        byte[] range = request.toBytes();
        exchange(range.length, out -> out.write(range), request.length(), sink);
    }

    /**
     * Sends a request and reads its response. Repeats the request while earlier ones, whose connections broke, have not ended at the controller.
     *
     * @param answered number of bytes that the response must acknowledge or contain
     * @param sink     reads the bytes of the response; null if the response acknowledges the bytes of the request
     * @return how many requests may run in parallel, if the request was empty
     */
    private int exchange(int length, Body body, int answered, @CheckForNull Sink sink) throws IOException {
        deadline = clock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(limitMillis);
        running = true;
        try {
            int allowed;
            while ((allowed = exchangeOnce(length, body, answered, sink)) == BUSY) {
                if (isStalled() || Thread.currentThread().isInterrupted()) {
                    throw unanswered(limitMillis);
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(limitMillis) / 100);
            }
            longest.accumulateAndGet(answered, Math::max);
            return allowed;
        } finally {
            running = false;
        }
    }

    /** Sends a request once; may return {@link #BUSY}. */
    private int exchangeOnce(int length, Body body, int answered, @CheckForNull Sink sink) throws IOException {
        int sent = Seal.sealedLength(length);
        long number = keys.requests().next();
        String head = LaneKeys.requestHead(sent);
        HttpURLConnection connection = (HttpURLConnection) url.openConnection();
        prepare(connection, sent);
        connection.setRequestProperty(DirectLaneOffer.REQUEST_HEADER, keys.request(number, head));
        boolean connected = false;
        try {
            connect(connection);
            connected = true;
            try (OutputStream out = connection.getOutputStream()) {
                Seal.Sealing sealing = keys.requests().sealing(number, head, out);
                body.writeTo(sealing);
                sealing.finish();
            }
            return answer(connection, number, answered, sink);
        } catch (SocketTimeoutException e) {
            throw connected ? unanswered(limitMillis) : timeout(limitMillis);
        }
    }

    private void prepare(HttpURLConnection connection, int length) throws IOException {
        connection.setConnectTimeout((int) limitMillis);
        connection.setReadTimeout((int) limitMillis);
        connection.setRequestMethod("POST");
        connection.setDoOutput(true);
        // otherwise the JDK would resend a body over another connection, and log in automatically
        connection.setFixedLengthStreamingMode(length);
        connection.setUseCaches(false);
        connection.setInstanceFollowRedirects(false);
        connection.setRequestProperty("Accept-Encoding", "identity");
        connection.setRequestProperty("Content-Type", "application/octet-stream");
    }

    private static void connect(HttpURLConnection connection) throws IOException {
        try {
            connection.connect();
        } catch (SocketException e) {
            // some failures are no ConnectException, for example "Network is unreachable"
            throw (IOException) new ConnectException(e.getMessage()).initCause(e);
        }
    }

    private int answer(HttpURLConnection connection, long request, int length, @CheckForNull Sink sink)
            throws IOException {
        int status = connection.getResponseCode();
        int allowed = connection.getHeaderFieldInt(DirectLaneOffer.CONNECTIONS_HEADER, 0);
        boolean busy = status == DirectLaneOffer.BUSY_STATUS;
        String head = LaneKeys.answerHead(request, status, busy ? 0 : length, allowed);
        long answer = busy || status == (sink == null ? DirectLaneOffer.TAKEN_STATUS : HttpURLConnection.HTTP_OK)
                ? keys.verified(connection.getHeaderField(DirectLaneOffer.ANSWER_HEADER), head)
                : 0;
        // reads the body to its end, so that the connection can be reused
        if (answer == 0 || sink == null || busy) {
            try (InputStream in = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
                if (in != null) {
                    limited(in).readNBytes(MAX_ANSWER);
                }
            }
            if (answer == 0) {
                // the probe has passed, so a firewall limits bodies, often to 8 KiB, or refuses their content
                LaneFailure forbidden = length > longest.get() ? LaneFailure.TOO_LARGE : LaneFailure.CONTENT;
                boolean isBody = status == HttpURLConnection.HTTP_FORBIDDEN && length > 0;
                throw new WrongAnswerException(
                        status == DirectLaneOffer.TAKEN_STATUS
                                ? "the answer is not from this plugin"
                                : "the answer is HTTP " + status,
                        isBody ? forbidden : LaneFailure.of(status));
            }
            return busy ? BUSY : allowed;
        }
        InputStream body = limited(connection.getInputStream());
        try (DataInputStream in = new DataInputStream(keys.answers().opening(answer, head, body, length))) {
            sink.readFrom(in);
            in.read();
        }
        return allowed;
    }

    /** Limits the total time of a body whose parts arrive too often to exceed the limit of a single read. Bytes that have arrived are read even later. */
    private InputStream limited(InputStream body) {
        return new FilterInputStream(body) {
            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                if (isStalled() && available() == 0) {
                    throw new SocketTimeoutException();
                }
                return super.read(bytes, offset, length);
            }
        };
    }

    /** Returns whether the running request has exceeded its time limit. Any thread may call this. */
    public boolean isStalled() {
        return running && clock.getAsLong() - deadline > 0;
    }

    /** Thrown when there is no response in time, or not the one that this plugin would send. */
    public static final class WrongAnswerException extends IOException {
        private static final long serialVersionUID = 1L;

        private final LaneFailure failure;

        WrongAnswerException(String message, LaneFailure failure) {
            super(message);
            this.failure = failure;
        }

        LaneFailure failure() {
            return failure;
        }

        /** Returns whether the body exceeds the limit of a proxy or firewall. */
        public boolean isTooLarge() {
            return failure == LaneFailure.TOO_LARGE;
        }
    }
}
