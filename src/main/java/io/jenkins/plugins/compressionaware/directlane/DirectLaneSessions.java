package io.jenkins.plugins.compressionaware.directlane;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.flow.RangeRequest;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.lane.LaneKeys;
import io.jenkins.plugins.compressionaware.engine.receive.DirectReceiver;
import java.io.Closeable;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The transfers that requests may carry blocks for now. Each gets its connections with its first request, so that a transfer without requests
 * takes none. All together never hold more of the web server's threads than {@link #CONNECTIONS}.
 */
@Restricted(NoExternalUse.class)
public final class DirectLaneSessions {
    public static final DirectLaneSessions ALL = new DirectLaneSessions();

    /** Requests of all transfers at a time: a fifth of the 200 threads that Jenkins' web server has by default. */
    public static final int CONNECTIONS = 40;

    /** Request numbers that a transfer remembers. A request is refused if more later ones have arrived before it. */
    private static final int REMEMBERED = 1024;

    private final SecureRandom random = new SecureRandom();
    private final Map<String, Session> openUpload = new ConcurrentHashMap<>();
    private int free = CONNECTIONS;

    /**
     * Admits one transfer until it is closed.
     *
     * @param taken  hears how many bytes each request has brought
     * @param wanted connections; it gets fewer when few are left
     */
    Session openUpload(DirectReceiver receiver, LongConsumer taken, int wanted) {
        return openUpload(receiver, null, taken, wanted);
    }

    /**
     * The same for one that fetches.
     *
     * @param taken hears how many bytes each write of an answer brings
     */
    Session openDownload(FrameFile source, LongConsumer taken, int wanted) {
        return openUpload(null, source, taken, wanted);
    }

    private Session openUpload(
            @CheckForNull DirectReceiver receiver, @CheckForNull FrameFile source, LongConsumer taken, int wanted) {
        Session transfer = new Session(receiver, source, taken, LaneKeys.newSecret(random), wanted);
        openUpload.put(transfer.keys.id(), transfer);
        return transfer;
    }

    // the more connections are in use, the fewer each transfer gets, so that more transfers get one at all
    private synchronized int reserve(int wanted) {
        int connections = Math.min(free, Math.min(wanted, Math.max(1, free / 8)));
        free -= connections;
        return connections;
    }

    /** Connections that transfers have now, 0 to {@link #CONNECTIONS}. */
    public synchronized int inUse() {
        return CONNECTIONS - free;
    }

    private synchronized void release(int connections) {
        free += connections;
    }

    /** Returns the transfer of this name; null if there is none. The name is public and gives no access. */
    @CheckForNull
    Session find(String id) {
        return openUpload.get(id);
    }

    final class Session implements Closeable {
        // one of them is null
        private final DirectReceiver receiver;
        private final FrameFile source;

        private final LongConsumer taken;
        private final String secret;
        private final LaneKeys keys;
        private final int wanted;

        // guarded by this, as is all that follows
        private final TreeSet<Long> seen = new TreeSet<>();
        private long forgotten;
        private int connections;
        private final List<Thread> running = new ArrayList<>();
        private boolean closed;

        private Session(DirectReceiver receiver, FrameFile source, LongConsumer taken, String secret, int wanted) {
            this.receiver = receiver;
            this.source = source;
            this.taken = taken;
            this.secret = secret;
            this.wanted = wanted;
            keys = new LaneKeys(secret);
        }

        /** Whether the request is from this transfer's agent and arrives for the first time. */
        boolean admits(LaneKeys.Request request, String head) {
            return keys.requests().fits(request.number(), head, request.tag()) && isNew(request.number());
        }

        private synchronized boolean isNew(long number) {
            if (number <= forgotten || !seen.add(number)) {
                return false;
            }
            if (seen.size() > REMEMBERED) {
                forgotten = seen.pollFirst();
            }
            return true;
        }

        LaneKeys keys() {
            return keys;
        }

        /** Whether it fetches instead of sending: then the body of a request is an {@link RangeRequest}. */
        boolean isDownload() {
            return source != null;
        }

        long available() {
            return source.wireBytes();
        }

        /** Writes bytes of the file; between {@link #begin} and {@link #end}. */
        void writeTo(long position, int length, OutputStream out) throws IOException {
            source.write(position, length, new FilterOutputStream(out) {
                @Override
                public void write(byte[] bytes, int offset, int n) throws IOException {
                    // first, since these bytes may end the transfer
                    taken.accept(n);
                    out.write(bytes, offset, n);
                }
            });
        }

        /** Bytes that a request's body may have. */
        int maxLength() {
            return isDownload() ? RangeRequest.BYTES : receiver.maxLength();
        }

        /** As {@link DirectReceiver#take}; between {@link #begin} and {@link #end}. */
        void readFrom(InputStream body, int length) throws IOException {
            receiver.take(body, length);
            taken.accept(length);
        }

        String secret() {
            return secret;
        }

        /** Requests with blocks that it may have at a time, reserved by the first call; 0 if no connection was left. */
        synchronized int connections() {
            if (connections == 0 && !closed) {
                connections = reserve(wanted);
            }
            return connections;
        }

        /** Whether one more request with bytes may run; if so, {@link #end} has to follow on the same thread. */
        synchronized boolean begin() {
            if (closed || running.size() == connections()) {
                return false;
            }
            running.add(Thread.currentThread());
            return true;
        }

        synchronized void end() {
            running.remove(Thread.currentThread());
            if (closed) {
                release(1);
                // the next request on this thread must not be broken off
                Thread.interrupted();
            }
        }

        /** Invalidates the secret and interrupts running requests, because an agent may read or send as slowly as it likes. */
        @Override
        public synchronized void close() {
            if (!closed) {
                closed = true;
                openUpload.remove(keys.id());
                release(connections - running.size());
                running.forEach(Thread::interrupt);
            }
        }
    }
}
