package io.jenkins.plugins.compressionaware.engine.lane;

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
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Requests to the controller's end point, one after the other over a persistent connection of the JDK's {@link HttpURLConnection}, which an agent has
 * loaded already. Both ends tag the heads of their messages, and bodies are sealed if TLS does not protect them. Used by one thread, except for
 * {@link #isStalled}: nothing interrupts a request, but each of its reads has a time limit.
 */
@Restricted(NoExternalUse.class)
public final class HttpLaneConnection {
    /** Most bytes read of an answer that is not ours. A longer one costs the connection. */
    private static final int MAX_ANSWER = 64 * 1024;

    private final URL url;
    private final LaneKeys keys;
    private final boolean sealed;
    private final long limitMillis;

    private volatile long deadline;
    private volatile boolean running;

    /**
     * @param plain       whether bodies are sent unencrypted to an http address
     * @param limitMillis limit for a whole request, and for each of its steps
     */
    public HttpLaneConnection(URL url, LaneKeys keys, boolean plain, long limitMillis) {
        this.url = url;
        this.keys = keys;
        sealed = !plain && !url.getProtocol().equals("https");
        this.limitMillis = limitMillis;
    }

    /** Writes the body of a request. */
    public interface Body {
        void writeTo(OutputStream out) throws IOException;
    }

    /** Reads the body of an answer, which has the requested length. */
    public interface Sink {
        void readFrom(DataInputStream in) throws IOException;
    }

    /**
     * Returns how many requests with a body may run at a time, 0 if none may now.
     *
     * @throws IOException that says why the end point has not answered
     */
    public int probe() throws IOException {
        return exchange(0, out -> {}, 0, null);
    }

    /**
     * Sends bytes and returns when the receiver has taken all of them.
     *
     * @throws IOException that says why the receiver may not have them
     */
    public void post(int length, Body body) throws IOException {
        exchange(length, body, length, null);
    }

    /**
     * Fetches bytes.
     *
     * @param position position of the first byte in the other end's file
     * @throws IOException if bytes are missing; {@code sink} may have received some of them
     */
    public void fetch(long position, int length, Sink sink) throws IOException {
        byte[] order = new RangeRequest(0, position, length).toBytes();
        exchange(order.length, out -> out.write(order), length, sink);
    }

    /**
     * @param answered bytes of which the answer must speak
     * @param sink     reads that many bytes; null if they are those of the request
     * @return how many requests may run at a time, if the request was empty
     */
    private int exchange(int length, Body body, int answered, @CheckForNull Sink sink) throws IOException {
        int sent = sealed ? Seal.sealedLength(length) : length;
        long number = keys.requests().next();
        String head = LaneKeys.requestHead(sealed, sent);
        HttpURLConnection connection = (HttpURLConnection) url.openConnection();
        prepare(connection, sent);
        connection.setRequestProperty(DirectLaneOffer.REQUEST_HEADER, keys.request(number, sealed, head));
        deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(limitMillis);
        running = true;
        try {
            connect(connection);
            try (OutputStream out = connection.getOutputStream()) {
                if (sealed) {
                    Seal.Sealing sealing = keys.requests().sealing(number, head, out);
                    body.writeTo(sealing);
                    sealing.finish();
                } else {
                    body.writeTo(out);
                }
            }
            return answer(connection, number, answered, sink);
        } catch (SocketTimeoutException e) {
            throw (IOException) DirectLaneGroup.silence(limitMillis).initCause(e);
        } finally {
            running = false;
        }
    }

    private void prepare(HttpURLConnection connection, int length) throws IOException {
        connection.setConnectTimeout((int) limitMillis);
        connection.setReadTimeout((int) limitMillis);
        connection.setRequestMethod("POST");
        connection.setDoOutput(true);
        // without it, the JDK would send a body once more over another connection, and log in by itself
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
            // not every failure is a ConnectException, for instance "Network is unreachable"
            throw (IOException) new ConnectException(e.getMessage()).initCause(e);
        }
    }

    private int answer(HttpURLConnection connection, long request, int length, @CheckForNull Sink sink)
            throws IOException {
        int status = connection.getResponseCode();
        int allowed = connection.getHeaderFieldInt(DirectLaneOffer.CONNECTIONS_HEADER, 0);
        String head = LaneKeys.answerHead(request, status, length, allowed);
        long answer = status == (sink == null ? DirectLaneOffer.TAKEN_STATUS : HttpURLConnection.HTTP_OK)
                ? keys.verified(connection.getHeaderField(DirectLaneOffer.ANSWER_HEADER), head)
                : 0;
        // whatever it is, it is read to its end, so that the connection can be used again
        if (answer == 0 || sink == null) {
            try (InputStream in = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
                if (in != null) {
                    limited(in).readNBytes(MAX_ANSWER);
                }
            }
            if (answer == 0) {
                // an empty request has passed, so this is a firewall's limit, often 8 KiB, for bodies
                boolean tooLarge = status == HttpURLConnection.HTTP_FORBIDDEN && length > 0;
                throw new WrongAnswerException(
                        status == DirectLaneOffer.TAKEN_STATUS
                                ? "the answer is not from this plugin"
                                : "the answer is HTTP " + status,
                        tooLarge ? LaneFailure.TOO_LARGE : LaneFailure.of(status));
            }
            return allowed;
        }
        InputStream body = limited(connection.getInputStream());
        try (DataInputStream in =
                new DataInputStream(sealed ? keys.answers().opening(answer, head, body, length) : body)) {
            sink.readFrom(in);
            in.read();
        }
        return allowed;
    }

    /** Ends a body that comes in too small parts for the time limit of a single read. */
    private InputStream limited(InputStream body) {
        return new FilterInputStream(body) {
            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                if (isStalled()) {
                    throw new SocketTimeoutException();
                }
                return super.read(bytes, offset, length);
            }
        };
    }

    /** Whether the running request has exceeded its limit. */
    public boolean isStalled() {
        return running && System.nanoTime() - deadline > 0;
    }

    /** The answer of something that has not done what was asked. */
    public static final class WrongAnswerException extends IOException {
        private static final long serialVersionUID = 1L;

        private final LaneFailure kind;

        WrongAnswerException(String message, LaneFailure kind) {
            super(message);
            this.kind = kind;
        }

        LaneFailure kind() {
            return kind;
        }

        /** Whether the body is larger than something on the way allows. */
        public boolean isTooLarge() {
            return kind == LaneFailure.TOO_LARGE;
        }
    }
}
