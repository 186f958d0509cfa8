package io.jenkins.plugins.compressionaware.transfer;

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
 * agent has loaded already, and which writes our arrays to the socket as they are; it takes proxy and trust from the JVM's settings. Used by one
 * thread, except for {@link #isStalled}, {@link #abortIfStalled} and {@link #abort}.
 */
@Restricted(NoExternalUse.class)
public final class EndpointConnection {
    private static final Logger LOGGER = Logger.getLogger(EndpointConnection.class.getName());

    /** Most bytes read of an answer that is not ours. A longer one costs the connection. */
    private static final int MAX_ANSWER = 64 * 1024;

    private final URL url;
    private final String token;
    private final long limitNanos;
    private final AbortableTls sockets;

    // guarded by this, like all that follows
    private HttpURLConnection running;
    private long deadline;
    private long nextAbort;
    private boolean stalled;
    private boolean aborted;

    /** @param limitMillis limit for a whole request, and for each of its steps */
    public EndpointConnection(URL url, String token, long limitMillis) {
        this.url = url;
        this.token = token;
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

    /** The work of one prepared request; returns the result of {@link #receipt}, or 0 without one. */
    private interface Exchange {
        int with(HttpURLConnection connection) throws IOException;
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
        return exchange("GET", connection -> {
            connect(connection);
            return receipt(connection, 0);
        });
    }

    /**
     * Sends bytes and returns when the receiver has taken all of them.
     *
     * @return the number of such requests that may run at a time, if {@code length} is 0
     * @throws IOException that says why the receiver may not have them
     */
    public int post(int length, Body body) throws IOException {
        return exchange("POST", connection -> {
            connection.setDoOutput(true);
            connection.setFixedLengthStreamingMode(length);
            connection.setRequestProperty("Content-Type", "application/octet-stream");
            connect(connection);
            try (OutputStream out = connection.getOutputStream()) {
                body.writeTo(out);
            }
            try {
                return receipt(connection, length);
            } catch (WrongAnswerException e) {
                // an empty request passed before: some firewalls answer so to a body of more than 8 KiB
                throw length > 0 && e.status == HttpURLConnection.HTTP_FORBIDDEN ? e.asTooLarge() : e;
            }
        });
    }

    /**
     * Fetches bytes.
     *
     * @param position position of the first byte in the other end's file
     * @throws IOException that says why they have not all arrived; {@code sink} may have taken some of them
     */
    public void get(long position, int length, Sink sink) throws IOException {
        exchange("GET", connection -> {
            String range = position + "-" + (position + length - 1);
            connection.setRequestProperty("Range", "bytes=" + range);
            connect(connection);
            int status = connection.getResponseCode();
            if (status != HttpURLConnection.HTTP_PARTIAL
                    || !isReceipt(connection, length)
                    || !isOf(range, connection.getHeaderField("Content-Range"))) {
                readToTheEnd(connection, status);
                throw unexpected(status);
            }
            try (DataInputStream in = new DataInputStream(connection.getInputStream())) {
                sink.readFrom(in);
                // reads to the end, so that the connection can be used again
                in.read();
            }
            return 0;
        });
    }

    /** Whether the answer is for this range: a cache may answer with bytes that others asked for. */
    private static boolean isOf(String range, String said) {
        return said != null && said.startsWith("bytes " + range + '/');
    }

    private int exchange(String method, Exchange exchange) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) url.openConnection();
        prepare(connection, method);
        begin(connection);
        try {
            return exchange.with(connection);
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
        connection.setRequestProperty(DirectOffer.TOKEN_HEADER, token);
        if (sockets != null) {
            ((HttpsURLConnection) connection).setSSLSocketFactory(sockets);
        }
    }

    /** @return how many requests may run at a time */
    private static int receipt(HttpURLConnection connection, int length) throws IOException {
        int status = connection.getResponseCode();
        readToTheEnd(connection, status);
        if (status != DirectOffer.TAKEN_STATUS || !isReceipt(connection, length)) {
            throw unexpected(status);
        }
        return connection.getHeaderFieldInt(DirectOffer.CONNECTIONS_HEADER, 0);
    }

    private static boolean isReceipt(HttpURLConnection connection, int length) {
        return Integer.toString(length).equals(connection.getHeaderField(DirectOffer.TAKEN_HEADER));
    }

    private static IOException unexpected(int status) {
        return new WrongAnswerException(
                status == DirectOffer.TAKEN_STATUS || status == HttpURLConnection.HTTP_PARTIAL
                        ? "something else answers there"
                        : "the answer is HTTP " + status,
                status);
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
