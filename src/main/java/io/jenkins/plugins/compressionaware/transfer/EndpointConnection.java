package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.net.ssl.HttpsURLConnection;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Requests to the controller's end point, one after the other over a persistent connection. Uses the JDK's {@link HttpURLConnection}, which an
 * agent has loaded already, and which writes our arrays to the socket as they are; it takes proxy and trust from the JVM's settings. Both ends tag
 * the heads of their messages; bodies are sealed if TLS does not protect them. Used by one thread, except for {@link #isStalled}, {@link #abortIfStalled} and {@link #abort}.
 */
@Restricted(NoExternalUse.class)
public final class EndpointConnection {
    private static final Logger LOGGER = Logger.getLogger(EndpointConnection.class.getName());

    /** Most bytes read of an answer that is not ours. A longer one costs the connection. */
    private static final int MAX_ANSWER = 64 * 1024;

    private final URL url;
    private final LaneKeys keys;
    private final boolean sealed;
    private final long limitNanos;
    private final AbortableTls sockets;

    // guarded by this, like all fields below
    private HttpURLConnection running;
    private long deadline;
    private long nextAbort;
    private boolean stalled;
    private boolean aborted;

    /**
     * @param plain       whether bodies are sent unencrypted to an http address
     * @param limitMillis limit for a whole request, and for each of its steps
     */
    public static EndpointConnection to(URL url, LaneKeys keys, boolean plain, long limitMillis) {
        return new EndpointConnection(url, keys, !plain && !url.getProtocol().equals("https"), limitMillis);
    }

    private EndpointConnection(URL url, LaneKeys keys, boolean sealed, long limitMillis) {
        this.url = url;
        this.keys = keys;
        this.sealed = sealed;
        limitNanos = TimeUnit.MILLISECONDS.toNanos(limitMillis);
        sockets = url.getProtocol().equals("https")
                ? new AbortableTls(HttpsURLConnection.getDefaultSSLSocketFactory())
                : null;
    }

    /** Writes the body of a request. */
    @FunctionalInterface
    public interface Body {
        void writeTo(OutputStream out) throws IOException;
    }

    /** Takes the body of an answer, which has the requested length. */
    @FunctionalInterface
    public interface Sink {
        void readFrom(DataInputStream in) throws IOException;
    }

    /** Performs a prepared request with this number and head; returns the result of {@link #receipt}, or 0 without a receipt. */
    private interface Exchange {
        int with(HttpURLConnection connection, long number, String head) throws IOException;
    }

    /**
     * Asks how many requests that send bytes may run at a time.
     *
     * @return 0 if none may now
     * @throws IOException that says why the end point has not answered
     */
    public int probe() throws IOException {
        return post(0, out -> {});
    }

    /** Like {@link #probe}, for requests that fetch bytes. */
    public int probeGet() throws IOException {
        return exchange("GET", 0, null, (connection, number, head) -> {
            connect(connection);
            return receipt(connection, number, 0);
        });
    }

    /**
     * Sends bytes and returns when the receiver has taken all of them.
     *
     * @return the number of such requests that may run at a time, if {@code length} is 0
     * @throws IOException that says why the receiver may not have them
     */
    public int post(int length, Body body) throws IOException {
        int sent = sealed ? Seal.sealedLength(length) : length;
        return exchange("POST", sent, null, (connection, number, head) -> {
            connection.setDoOutput(true);
            connection.setFixedLengthStreamingMode(sent);
            connection.setRequestProperty("Content-Type", "application/octet-stream");
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
            try {
                return receipt(connection, number, length);
            } catch (WrongAnswerException e) {
                // an empty request has passed, so this is a firewall's limit, often 8 KiB, for bodies
                throw length > 0 && e.status == HttpURLConnection.HTTP_FORBIDDEN ? e.asTooLarge() : e;
            }
        });
    }

    /**
     * Fetches bytes.
     *
     * @param position position of the first byte in the other end's file
     * @throws IOException if bytes are missing; {@code sink} may have received some of them
     */
    public void get(long position, int length, Sink sink) throws IOException {
        String range = position + "-" + (position + length - 1);
        exchange("GET", 0, "bytes=" + range, (connection, request, head) -> {
            connect(connection);
            int status = connection.getResponseCode();
            String given = String.valueOf(connection.getHeaderField("Content-Range"));
            String answerHead = LaneKeys.rangeHead(request, given);
            long answer = status == HttpURLConnection.HTTP_PARTIAL && given.startsWith("bytes " + range + '/')
                    ? keys.verified(connection.getHeaderField(DirectOffer.ANSWER_HEADER), answerHead)
                    : 0;
            if (answer == 0) {
                readToTheEnd(connection, status);
                // a probe passed before: the JDK repeats a GET whose connection breaks, and a repeat is refused
                throw status == HttpURLConnection.HTTP_NOT_FOUND ? new IOException(saying(status)) : unexpected(status);
            }
            InputStream body = connection.getInputStream();
            try (DataInputStream in =
                    new DataInputStream(sealed ? keys.answers().opening(answer, answerHead, body, length) : body)) {
                sink.readFrom(in);
                // reads to the end, so that the connection can be used again
                in.read();
            }
            return 0;
        });
    }

    private int exchange(String method, int length, @CheckForNull String range, Exchange exchange) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) url.openConnection();
        prepare(connection, method);
        if (range != null) {
            connection.setRequestProperty("Range", range);
        }
        long number = keys.requests().next();
        String head = LaneKeys.requestHead(method, sealed, length, range);
        connection.setRequestProperty(DirectOffer.REQUEST_HEADER, keys.request(number, sealed, head));
        begin(connection);
        try {
            return exchange.with(connection, number, head);
        } catch (IOException e) {
            throw explained(e);
        } catch (RuntimeException e) {
            // HttpURLConnection does not expect to be disconnected by another thread
            throw explained(new IOException(e));
        } finally {
            end();
        }
    }

    private static void connect(HttpURLConnection connection) throws IOException {
        try {
            connection.connect();
        } catch (SocketException e) {
            // not every failure is a ConnectException, for instance "Network is unreachable"
            throw (IOException) new ConnectException(e.getMessage()).initCause(e);
        }
    }

    private void prepare(HttpURLConnection connection, String method) throws IOException {
        int limit = (int) TimeUnit.NANOSECONDS.toMillis(limitNanos);
        connection.setConnectTimeout(limit);
        connection.setReadTimeout(limit);
        connection.setRequestMethod(method);
        connection.setUseCaches(false);
        connection.setInstanceFollowRedirects(false);
        connection.setRequestProperty("Accept-Encoding", "identity");
        if (sockets != null) {
            ((HttpsURLConnection) connection).setSSLSocketFactory(sockets);
        }
    }

    /** @return how many requests may run at a time */
    private int receipt(HttpURLConnection connection, long request, int length) throws IOException {
        int status = connection.getResponseCode();
        readToTheEnd(connection, status);
        int allowed = connection.getHeaderFieldInt(DirectOffer.CONNECTIONS_HEADER, 0);
        String head = LaneKeys.receiptHead(request, length, allowed);
        if (status != DirectOffer.TAKEN_STATUS
                || keys.verified(connection.getHeaderField(DirectOffer.ANSWER_HEADER), head) == 0) {
            throw unexpected(status);
        }
        return allowed;
    }

    private static IOException unexpected(int status) {
        return new WrongAnswerException(
                status == DirectOffer.TAKEN_STATUS || status == HttpURLConnection.HTTP_PARTIAL
                        ? "something else answers there"
                        : saying(status),
                status);
    }

    private static String saying(int status) {
        return "the answer is HTTP " + status;
    }

    /** Reads the answer, so that the connection can be used again. */
    private static void readToTheEnd(HttpURLConnection connection, int status) throws IOException {
        try (InputStream in = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
            if (in != null) {
                in.readNBytes(MAX_ANSWER);
            }
        }
    }

    private synchronized void begin(HttpURLConnection connection) throws IOException {
        if (aborted) {
            throw new IOException("the transfer is over");
        }
        running = connection;
        deadline = System.nanoTime() + limitNanos;
        nextAbort = deadline;
    }

    private synchronized void end() {
        running = null;
    }

    private synchronized IOException explained(IOException e) {
        return stalled || e instanceof SocketTimeoutException ? timeout(e) : e;
    }

    private IOException timeout(IOException cause) {
        String silence = "no answer within " + TimeUnit.NANOSECONDS.toMillis(limitNanos) + " ms";
        return (IOException) new SocketTimeoutException(silence).initCause(cause);
    }

    /** Whether the running request has exceeded its limit. */
    public synchronized boolean isStalled() {
        return running != null && System.nanoTime() - deadline > 0;
    }

    /** Ends a request that has exceeded its limit, and all later ones; see {@link #abort}. Later calls try again, once per limit. */
    public synchronized void abortIfStalled(Executor aside) {
        if (running != null && System.nanoTime() - nextAbort > 0) {
            stalled = true;
            nextAbort = System.nanoTime() + limitNanos;
            abort(aside);
        }
    }

    /**
     * Ends the running request, if it is connected, and all later ones. The JDK cannot be reached while it resolves a name or connects.
     *
     * @param aside runs a task that may wait as long as the request's limit, since the JDK closes a plain connection only when nobody reads from it
     */
    public synchronized void abort(Executor aside) {
        aborted = true;
        if (sockets != null) {
            // an SSLSocket's close would wait for the thread that is writing
            sockets.close();
        } else if (running != null) {
            HttpURLConnection breaking = running;
            aside.execute(() -> {
                try {
                    breaking.disconnect();
                } catch (RuntimeException e) { // the JDK does not expect that its owner ends it meanwhile
                    LOGGER.log(Level.FINE, "A request was over before it was broken off", e);
                }
            });
        }
    }

    /** The answer of something that has not done what was asked. */
    public static final class WrongAnswerException extends IOException {
        private static final long serialVersionUID = 1L;

        private final int status;
        private final LaneTrouble kind;

        WrongAnswerException(String message, int status) {
            this(message, status, LaneTrouble.of(status));
        }

        private WrongAnswerException(String message, int status, LaneTrouble kind) {
            super(message);
            this.status = status;
            this.kind = kind;
        }

        private WrongAnswerException asTooLarge() {
            return new WrongAnswerException(getMessage(), status, LaneTrouble.TOO_LARGE);
        }

        LaneTrouble kind() {
            return kind;
        }

        /** Whether the body is larger than something on the way allows. */
        public boolean isTooLarge() {
            return LaneTrouble.of(this) == LaneTrouble.TOO_LARGE;
        }
    }
}
