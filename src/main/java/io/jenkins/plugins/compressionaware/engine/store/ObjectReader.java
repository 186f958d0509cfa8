package io.jenkins.plugins.compressionaware.engine.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import io.jenkins.plugins.compressionaware.engine.tar.ChunkedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Reads ranges of one object, with a signature that serves all ranges until it expires. Thread-safe: each range is a request of its own. */
@Restricted(NoExternalUse.class)
public final class ObjectReader {
    private final Signer signer;
    private final StoreLimits limits;
    private final long length;
    private final String tag;
    private final Consumer<StoreFailure> answers;

    @GuardedBy("this")
    private Signed signed;

    private volatile boolean answered;
    private volatile boolean waitsForController;

    @FunctionalInterface
    public interface Signer {
        SignedRequest sign() throws IOException;
    }

    /**
     * @param signer called again when a signature has expired
     * @param length of the object, bytes
     * @param tag    the object's tag when it was stored: an object that was replaced since cannot be read
     */
    public ObjectReader(Signer signer, long length, String tag) {
        this(signer, length, tag, StoreLimits.DEFAULT);
    }

    public ObjectReader(Signer signer, long length, String tag, StoreLimits limits) {
        this(signer, length, tag, limits, failure -> StoreAnswers.add("get", failure));
    }

    /** @param answers called after each request, with null unless it failed */
    ObjectReader(Signer signer, long length, String tag, StoreLimits limits, Consumer<StoreFailure> answers) {
        this.signer = signer;
        this.length = length;
        this.tag = tag;
        this.limits = limits;
        this.answers = answers;
    }

    public long length() {
        return length;
    }

    private record Signed(SignedRequest request, long nanos) {}

    /** Returns the signed request, and a new one in place of an expired one. */
    private synchronized Signed signed(@CheckForNull Signed expired) throws IOException {
        if (signed == null || signed == expired) {
            waitsForController = true;
            signed = new Signed(signer.sign(), limits.clock().getAsLong());
            waitsForController = false;
        }
        return signed;
    }

    /** Returns whether no request can begin before the controller answers. */
    public boolean waitsForController() {
        return waitsForController;
    }

    /** Opens a range, which must be in the object. The stream repeats a request that fails, for the bytes that are missing. */
    public InputStream open(long from, long count) {
        return new Range(from, from + count);
    }

    private final class Range extends ChunkedInputStream {
        private final long end;
        private long position;
        private int attempts;
        private Signed request;
        private Signed expired;
        private InputStream in;

        Range(long from, long end) {
            position = from;
            this.end = end;
        }

        @Override
        public int read(byte[] target, int offset, int count) throws IOException {
            while (position < end && count > 0) {
                request = in == null ? signed(expired) : request;
                try {
                    return readSome(target, offset, (int) Math.min(count, end - position));
                } catch (StoreException e) {
                    repeat(e);
                } catch (IOException e) {
                    repeat(StoreFailure.of(e).because("A response of the store broke: " + e.getMessage() + '.', e));
                }
            }
            return count == 0 ? 0 : -1;
        }

        private int readSome(byte[] target, int offset, int count) throws IOException {
            if (in == null) {
                attempts++;
                in = new StoreRequest(request.request(), request.nanos(), limits)
                        .get(position, end - position, length, tag);
                answered = true;
                answers.accept(null);
            }
            int n = in.read(target, offset, count);
            if (n < 0) {
                throw StoreFailure.BROKEN.because("A response of the store is cut short.", null);
            }
            attempts = 1;
            position += n;
            if (position == end && hasMore()) {
                throw StoreFailure.NOT_A_STORE.because("A response of the store is too long.", null);
            }
            return n;
        }

        /** Reads to the end of the response, so that the connection can be reused. */
        private boolean hasMore() {
            try {
                return in.read() >= 0;
            } catch (IOException e) {
                return false; // all bytes of the range have arrived
            }
        }

        private void repeat(StoreException e) throws IOException {
            close();
            answers.accept(e.failure());
            answered |= e.failure() != StoreFailure.UNREACHABLE;
            if (!limits.repeats(e, attempts, answered)) {
                throw new StoreException(e.failure(), "Cannot read " + request.request() + ". " + e.getMessage(), e);
            }
            expired = e.failure() == StoreFailure.EXPIRED ? request : null;
            try {
                TimeUnit.NANOSECONDS.sleep(limits.pauseNanos(attempts));
            } catch (InterruptedException interrupted) {
                throw Tasks.interrupted("Interrupted while an object was read");
            }
        }

        @Override
        public void close() throws IOException {
            if (in != null) {
                in.close();
                in = null;
            }
        }
    }
}
