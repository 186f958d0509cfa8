package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.transfer.DirectOffer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.HttpsURLConnection;

/**
 * Requests to the receiver's end point, one after the other over a kept connection. The JDK's {@link HttpURLConnection}, since an agent has
 * loaded it already and it writes our arrays to the socket as they are; it takes proxy and trust from the JVM's settings. Used by one thread,
 * but for {@link #abortIfStalled} and {@link #abort}.
 */
final class EndpointConnection {
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

    /**
     * @param limitMillis for a whole request, and for each step of it
     */
    EndpointConnection(URL url, String token, long limitMillis) {
        this.url = url;
        this.token = token;
        limitNanos = TimeUnit.MILLISECONDS.toNanos(limitMillis);
        sockets = url.getProtocol().equals("https")
                ? new AbortableTls(HttpsURLConnection.getDefaultSSLSocketFactory())
                : null;
    }

    /**
     * Asks how many requests may run at a time.
     *
     * @return 0 if none may now
     * @throws IOException saying why nobody who knows has answered
     */
    int probe() throws IOException {
        return exchange(List.of()).getHeaderFieldInt(DirectOffer.CONNECTIONS_HEADER, 0);
    }

    /**
     * Sends frames and returns when the receiver has taken all of them.
     *
     * @throws IOException saying why it is not known to have them
     */
    void post(List<EncodedFrame> frames) throws IOException {
        exchange(frames);
    }

    private HttpURLConnection exchange(List<EncodedFrame> frames) throws IOException {
        int length = frames.stream().mapToInt(EncodedFrame::length).sum();
        HttpURLConnection connection = (HttpURLConnection) url.openConnection();
        prepare(connection, length);
        begin(connection);
        try {
            try (OutputStream out = connection.getOutputStream()) {
                for (EncodedFrame frame : frames) {
                    out.write(frame.bytes(), 0, frame.length());
                }
            }
            check(connection, length);
            return connection;
        } catch (IOException e) {
            throw explained(e);
        } catch (RuntimeException e) {
            // HttpURLConnection does not expect to be disconnected by another thread
            throw explained(new IOException(e));
        } finally {
            end();
        }
    }

    private void prepare(HttpURLConnection connection, int length) throws IOException {
        int limit = (int) TimeUnit.NANOSECONDS.toMillis(limitNanos);
        connection.setConnectTimeout(limit);
        connection.setReadTimeout(limit);
        connection.setRequestMethod("POST");
        connection.setDoOutput(true);
        connection.setUseCaches(false);
        connection.setInstanceFollowRedirects(false);
        connection.setFixedLengthStreamingMode(length);
        connection.setRequestProperty("Content-Type", "application/octet-stream");
        connection.setRequestProperty(DirectOffer.TOKEN_HEADER, token);
        if (sockets != null) {
            ((HttpsURLConnection) connection).setSSLSocketFactory(sockets);
        }
    }

    private static void check(HttpURLConnection connection, int length) throws IOException {
        int status = connection.getResponseCode();
        String taken = connection.getHeaderField(DirectOffer.TAKEN_HEADER);
        readToTheEnd(connection, status);
        if (status == HttpURLConnection.HTTP_ENTITY_TOO_LARGE) {
            throw new TooLargeException(status);
        }
        if (status != DirectOffer.TAKEN_STATUS) {
            throw new IOException("the answer is HTTP " + status);
        }
        if (!Integer.toString(length).equals(taken)) {
            throw new IOException("something else answers there");
        }
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
        return new IOException("no answer within " + TimeUnit.NANOSECONDS.toMillis(limitNanos) + " ms", cause);
    }

    /** Whether a request runs longer than it may. */
    synchronized boolean isStalled() {
        return running != null && System.nanoTime() - deadline > 0;
    }

    /** Ends the request that runs longer than it may. */
    synchronized void abortIfStalled() {
        if (isStalled()) {
            stalled = true;
            abort();
        }
    }

    /** Ends the request that runs, if it is connected, and all later ones. Nothing reaches the JDK while it resolves a name or connects. */
    synchronized void abort() {
        aborted = true;
        if (sockets != null) {
            // an SSLSocket's close would wait for the thread that is writing
            sockets.close();
        } else if (running != null) {
            running.disconnect();
        }
    }

    /** The body is larger than something on the way allows. */
    static final class TooLargeException extends IOException {
        private static final long serialVersionUID = 1L;

        TooLargeException(int status) {
            super("the answer is HTTP " + status);
        }
    }
}
