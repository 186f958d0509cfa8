package io.jenkins.plugins.compressionaware.engine.store;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.http.LaneFailure;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.ProtocolException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One signed request to the store, over a persistent {@link HttpURLConnection}, because agents have already loaded that class. Used by one thread, except for
 * {@link #isStalled} and {@link #cancel}; a request cannot be interrupted, but each of its reads has a time limit.
 */
final class StoreRequest {
    /** Maximum length of one write, bytes. */
    private static final int MAX_WRITE = 256 * 1024;

    /** Longest time to connect, milliseconds. */
    private static final int MAX_CONNECT = 10_000;

    /** Maximum bytes read from an error response. After a longer one, the connection is not reused. */
    private static final int MAX_ANSWER = 64 * 1024;

    private static final Pattern CODE = Pattern.compile("<Code>([^<]{1,80})</Code>");
    private static final Pattern MESSAGE = Pattern.compile("<Message>([^<]{1,300})</Message>");
    private static final Pattern SIGNED_AT = Pattern.compile("[?&]X-Amz-Date=([0-9TZ]+)");

    private final SignedRequest signed;
    private final StoreLimits limits;
    private final long signedNanos;
    private volatile long progress;
    private volatile boolean cancelled;

    /** @param signedNanos when it was signed, by the clock of the limits */
    StoreRequest(SignedRequest signed, long signedNanos, StoreLimits limits) {
        this.signed = signed;
        this.signedNanos = signedNanos;
        this.limits = limits;
        progress = limits.clock().getAsLong();
    }

    /** Returns whether nothing was written or read for longer than the time limit. Any thread may call this. */
    boolean isStalled() {
        return limits.clock().getAsLong() - progress > TimeUnit.MILLISECONDS.toNanos(2L * limits.millis());
    }

    /** Makes the next step of this request fail. Any thread may call this. */
    void cancel() {
        cancelled = true;
    }

    /** Returns the URL of the object, without the signature. */
    @Override
    public String toString() {
        return signed.toString();
    }

    private HttpURLConnection open() throws IOException {
        HttpURLConnection connection = (HttpURLConnection) new URL(signed.url()).openConnection();
        connection.setConnectTimeout(Math.min(MAX_CONNECT, limits.millis()));
        connection.setReadTimeout(limits.millis());
        connection.setUseCaches(false);
        connection.setInstanceFollowRedirects(false);
        connection.setRequestProperty("Accept-Encoding", "identity");
        String[] headers = signed.headers();
        for (int i = 0; i < headers.length; i += 2) {
            connection.setRequestProperty(headers[i], headers[i + 1]);
        }
        return connection;
    }

    private static void connect(HttpURLConnection connection) throws IOException {
        try {
            connection.connect();
        } catch (SocketException | SocketTimeoutException e) { // also a firewall that drops packets
            throw (IOException) new ConnectException(e.getMessage()).initCause(e);
        }
    }

    /**
     * Sends a body.
     *
     * @param asksFirst whether the store must agree before the body is sent: the JDK loses the response of a store that closes the connection earlier
     * @param written   receives the number of bytes of each write, and its duration in nanoseconds; at last no bytes, and the time until the response
     * @return the tag of what was stored
     */
    String put(byte[] bytes, int length, boolean asksFirst, BiConsumer<Integer, Long> written) throws StoreException {
        try {
            HttpURLConnection connection = open();
            connection.setRequestMethod("PUT");
            connection.setDoOutput(true);
            if (connection.getRequestProperty("Content-Type") == null) {
                // otherwise the JDK sends that of a form
                connection.setRequestProperty("Content-Type", "application/octet-stream");
            }
            // otherwise the JDK would keep a copy of the body, and send it again by itself
            connection.setFixedLengthStreamingMode(length);
            if (asksFirst) {
                connection.setRequestProperty("Expect", "100-continue");
            }
            connect(connection);
            try (OutputStream out = connection.getOutputStream()) {
                write(bytes, length, out, written);
            } catch (ProtocolException e) {
                if (asksFirst) {
                    // reading more of the response would send the request again
                    throw failure(connection.getResponseCode(), "", "", 0);
                }
                throw e;
            }
            long start = limits.clock().getAsLong();
            int status = connection.getResponseCode();
            String tag = connection.getHeaderField("ETag");
            if (status != HttpURLConnection.HTTP_OK || tag == null) {
                throw failure(connection, status);
            }
            drain(connection.getInputStream());
            progress = limits.clock().getAsLong();
            written.accept(0, progress - start);
            return tag;
        } catch (StoreException e) {
            throw e;
        } catch (IOException e) {
            throw failure(e);
        }
    }

    private void write(byte[] bytes, int length, OutputStream out, BiConsumer<Integer, Long> written)
            throws IOException {
        for (int done = 0; done < length; ) {
            if (cancelled) {
                throw new IOException("the transfer is over");
            }
            long start = limits.clock().getAsLong();
            int n = Math.min(MAX_WRITE, length - done);
            out.write(bytes, done, n);
            done += n;
            progress = limits.clock().getAsLong();
            written.accept(n, progress - start);
        }
    }

    /**
     * Opens a range of an object. Closing the stream after its last byte keeps the connection.
     *
     * @param total length of the object, bytes
     * @param tag   the object's tag when it was stored
     */
    InputStream get(long from, long length, long total, String tag) throws StoreException {
        try {
            HttpURLConnection connection = open();
            connection.setRequestProperty("Range", "bytes=" + from + '-' + (from + length - 1));
            connection.setRequestProperty("If-Match", tag);
            connect(connection);
            int status = connection.getResponseCode();
            if (status != HttpURLConnection.HTTP_PARTIAL) {
                throw failure(connection, status);
            }
            String expected = "bytes " + from + '-' + (from + length - 1) + '/' + total;
            String found = connection.getHeaderField("Content-Range");
            if (!expected.equals(found)) {
                throw StoreFailure.CHANGED.because("The store answered with the range " + found + '.', null);
            }
            return connection.getInputStream();
        } catch (StoreException e) {
            throw e;
        } catch (IOException e) {
            throw failure(e);
        }
    }

    private static byte[] drain(@CheckForNull InputStream body) throws IOException {
        try (InputStream in = body == null ? InputStream.nullInputStream() : body) {
            return in.readNBytes(MAX_ANSWER);
        }
    }

    private StoreException failure(HttpURLConnection connection, int status) throws IOException {
        byte[] answer = drain(status < 400 ? connection.getInputStream() : connection.getErrorStream());
        String text = new String(answer, StandardCharsets.UTF_8);
        long skew = status == HttpURLConnection.HTTP_FORBIDDEN ? skew(connection.getDate()) : 0;
        return failure(status, find(CODE, text), find(MESSAGE, text), skew);
    }

    private static String find(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        return found.find() ? found.group(1) : "";
    }

    private static StoreException failure(int status, String code, String message, long skew) {
        String answer = "The store answered HTTP " + status + (code.isEmpty() ? "" : " " + code)
                + (message.isEmpty() ? "" : ": " + message);
        StoreFailure failure = StoreFailure.of(status, code, message, skew);
        String clock = failure == StoreFailure.CLOCK && skew != 0
                ? String.format(
                        Locale.ROOT,
                        " The clock of the controller is %d min %s that of the store.",
                        TimeUnit.MILLISECONDS.toMinutes(Math.abs(skew)),
                        skew > 0 ? "behind" : "ahead of")
                : "";
        return failure.because((answer.endsWith(".") ? answer : answer + '.') + clock, null);
    }

    private static StoreException failure(IOException e) {
        // a URL gives access to the object
        String reason = LaneFailure.reason(e).replaceAll("\\?\\S*", "");
        return StoreFailure.of(e).because("The request to the store failed: " + reason + '.', null);
    }

    /** Returns by how much the clock of the store was ahead when the request was signed, milliseconds; 0 if unknown. */
    private long skew(long storeMillis) {
        Matcher at = SIGNED_AT.matcher(signed.url());
        if (storeMillis == 0 || !at.find()) {
            return 0;
        }
        try {
            OffsetDateTime time =
                    OffsetDateTime.parse(at.group(1), DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmssX", Locale.ROOT));
            long age = TimeUnit.NANOSECONDS.toMillis(limits.clock().getAsLong() - signedNanos);
            return storeMillis - time.toInstant().toEpochMilli() - age;
        } catch (DateTimeParseException e) {
            return 0;
        }
    }
}
