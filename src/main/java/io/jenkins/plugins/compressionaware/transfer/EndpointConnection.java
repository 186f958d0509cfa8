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
import java.util.concurrent.TimeUnit;
import javax.net.ssl.HttpsURLConnection;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Requests to the receiver's end point, one after the other over a kept connection. The JDK's {@link HttpURLConnection}, since an agent has
 * loaded it already and it writes our arrays to the socket as they are; it takes proxy and trust from the JVM's settings. Used by one thread,
 * but for {@link #abortIfStalled} and {@link #abort}.
 */
@Restricted(NoExternalUse.class)
public final class EndpointConnection {
    /** Of an answer that is not ours, bytes. A longer one costs the connection. */
    private static final int MAX_ANSWER = 64 * 1024;

    private final URL url;
    private final String token;
    private final long limitNanos;
    private final AbortableTls sockets;

    // guarded by this, as are the next three
    private HttpURLConnection running;
    private long deadline;
    private boolean stalled;
    private boolean aborted;

    /** @param limitMillis for a whole request, and for each step of it */
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

    /** Takes the body of an answer, of the length that was asked for. */
    @FunctionalInterface
    public interface Sink {
        void readFrom(DataInputStream in) throws IOException;
    }

    /** The work of one request once it is prepared; returns what {@link #receipt} does, if it has one. */
    private interface Exchange {
        int with(HttpURLConnection connection) throws IOException;
    }

    /**
     * Asks how many requests with bytes for the other end may run at a time.
     *
     * @return 0 if none may now
     * @throws IOException saying why nobody who knows has answered
     */
    public int probe() throws IOException {
        return post(0, out -> {});
    }

    /** The same as {@link #probe}, of requests for bytes from the other end. */
    public int probeGet() throws IOException {
        return exchange("GET", connection -> {
            connect(connection);
            return receipt(connection, 0);
        });
    }

    /**
     * Sends bytes and returns when the receiver has taken all of them.
     *
     * @return the number of such requests that may run at a time, if there are no bytes
     * @throws IOException saying why it is not known to have them
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
            return receipt(connection, length);
        });
    }

    /**
     * Fetches bytes.
     *
     * @param position of the first, counted from the start of the other end's file
     * @throws IOException saying why they are not there; some of them may have been taken
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
                // lets the connection be used again
                in.read();
            }
            return 0;
        });
    }

    /** A cache may answer with what others have asked for. */
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
            // not each of them is a ConnectException: "Network is unreachable" is none
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

    /** Lets the connection be used again. */
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

    /** Whether a request runs longer than it may. */
    public synchronized boolean isStalled() {
        return running != null && System.nanoTime() - deadline > 0;
    }

    /** Ends the request that runs longer than it may. */
    public synchronized void abortIfStalled() {
        if (isStalled()) {
            stalled = true;
            abort();
        }
    }

    /** Ends the request that runs, if it is connected, and all later ones. Nothing reaches the JDK while it resolves a name or connects. */
    public synchronized void abort() {
        aborted = true;
        if (sockets != null) {
            // an SSLSocket's close would wait for the thread that is writing
            sockets.close();
        } else if (running != null) {
            running.disconnect();
        }
    }

    /** Somebody has answered who has not done what was asked. */
    public static final class WrongAnswerException extends IOException {
        private static final long serialVersionUID = 1L;

        private final int status;

        WrongAnswerException(String message, int status) {
            super(message);
            this.status = status;
        }

        /** Of HTTP. */
        int status() {
            return status;
        }

        /** Whether the body is larger than something on the way allows. */
        public boolean isTooLarge() {
            return status == HttpURLConnection.HTTP_ENTITY_TOO_LARGE;
        }
    }
}
