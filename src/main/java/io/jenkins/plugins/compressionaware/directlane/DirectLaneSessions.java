package io.jenkins.plugins.compressionaware.directlane;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.flow.RangeRequest;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.http.LaneKeys;
import io.jenkins.plugins.compressionaware.engine.receive.DirectReceiver;
import io.jenkins.plugins.compressionaware.engine.run.SharedLimit;
import java.io.Closeable;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The transfers that may use direct lanes now. A session reserves its connections with its first request, so that a transfer without requests uses none.
 * Together, sessions use at most {@link #CONNECTIONS} threads of the web server, and those of one agent at most {@link #CONNECTIONS_PER_AGENT}.
 */
@Restricted(NoExternalUse.class)
public final class DirectLaneSessions {
    public static final DirectLaneSessions ALL = new DirectLaneSessions();

    /** Maximum number of concurrent requests of all transfers: a fifth of the 200 threads that Jenkins' web server has by default. */
    public static final int CONNECTIONS = 40;

    public static final int CONNECTIONS_PER_AGENT = CONNECTIONS / 4;

    /** Number of request numbers that a session remembers. An older request is rejected. */
    private static final int MAX_REMEMBERED_REQUESTS = 1024;

    private final SecureRandom random = new SecureRandom();
    private final Map<String, Session> sessions = new ConcurrentHashMap<>();
    private final SharedLimit reserved = new SharedLimit(CONNECTIONS, CONNECTIONS_PER_AGENT);

    /**
     * The limits of a session.
     *
     * @param agent name of the agent
     * @param connections connections to reserve; the session gets fewer if few are free
     */
    public record Terms(String agent, int connections) {}

    /**
     * Opens a session in which an agent uploads frames, until the session is closed.
     *
     * @param progress receives the number of bytes of each request
     */
    public Session openUpload(DirectReceiver receiver, LongConsumer progress, Terms terms) {
        return open(new Session(receiver, null, progress, entries -> {}, terms));
    }

    /**
     * Opens a session like {@link #openUpload}, in which an agent downloads a frame file.
     *
     * @param complete receives the number of complete entries with each request, see {@link RangeRequest}
     */
    public Session openDownload(FrameFile source, LongConsumer progress, IntConsumer complete, Terms terms) {
        return open(new Session(null, source, progress, complete, terms));
    }

    private Session open(Session transfer) {
        sessions.put(transfer.keys.id(), transfer);
        return transfer;
    }

    // the fewer connections are free, the fewer a transfer gets, so that more transfers get at least one
    private int reserve(Terms terms) {
        return reserved.acquireUpTo(terms.agent, Math.min(terms.connections, Math.max(1, reserved.free() / 8)));
    }

    /** Returns the number of connections in use, 0 to {@link #CONNECTIONS}. */
    public int inUse() {
        return reserved.inUse();
    }

    /** Returns the session with this ID; null if there is none. The ID is public and gives no access. */
    @CheckForNull
    Session find(String id) {
        return sessions.get(id);
    }

    /** The session of one transfer. */
    public final class Session implements Closeable {
        // exactly one is null: a session uploads or downloads
        private final DirectReceiver receiver;
        private final FrameFile source;

        private final LongConsumer progress;
        private final IntConsumer complete;
        private final String secret;
        private final LaneKeys keys;
        private final Terms terms;

        @GuardedBy("this")
        private final TreeSet<Long> seen = new TreeSet<>();

        @GuardedBy("this")
        private long maxForgottenNumber;

        @GuardedBy("this")
        private int connections;

        @GuardedBy("this")
        private final List<Thread> running = new ArrayList<>();

        @GuardedBy("this")
        private boolean closed;

        private Session(
                DirectReceiver receiver, FrameFile source, LongConsumer progress, IntConsumer complete, Terms terms) {
            this.receiver = receiver;
            this.source = source;
            this.progress = progress;
            this.complete = complete;
            this.terms = terms;
            secret = LaneKeys.newSecret(random);
            keys = new LaneKeys(secret);
        }

        /** Returns whether the request is from this transfer's agent and is not a repetition. */
        boolean admits(LaneKeys.Request request, String head) {
            return keys.requests().verifies(request.number(), head, request.tag()) && isNew(request.number());
        }

        private synchronized boolean isNew(long number) {
            if (number <= maxForgottenNumber || !seen.add(number)) {
                return false;
            }
            if (seen.size() > MAX_REMEMBERED_REQUESTS) {
                maxForgottenNumber = seen.pollFirst();
            }
            return true;
        }

        LaneKeys keys() {
            return keys;
        }

        /** Returns whether the agent downloads; the body of a request is then a {@link RangeRequest}. */
        boolean isDownload() {
            return source != null;
        }

        long available() {
            return source.wireBytes();
        }

        /** Reports the complete entries, and writes a range of the file. Only between {@link #begin} and {@link #end}. */
        void writeTo(RangeRequest range, OutputStream out) throws IOException {
            complete.accept(range.complete());
            source.write(range.position(), range.length(), new FilterOutputStream(out) {
                @Override
                public void write(byte[] bytes, int offset, int n) throws IOException {
                    // before the write, because these bytes may end the transfer
                    progress.accept(n);
                    out.write(bytes, offset, n);
                }
            });
        }

        /** Returns the maximum bytes of a request's body. */
        int maxLength() {
            return isDownload() ? RangeRequest.BYTES : receiver.maxLength();
        }

        /** Reads frames, see {@link DirectReceiver#take}. Only between {@link #begin} and {@link #end}. */
        void readFrom(InputStream body, int length) throws IOException {
            receiver.take(body, length);
            progress.accept(length);
        }

        String secret() {
            return secret;
        }

        /** Returns the maximum number of concurrent requests, which the first call reserves; 0 if no connection was free. */
        synchronized int connections() {
            if (connections == 0 && !closed) {
                connections = reserve(terms);
            }
            return connections;
        }

        /** Waits until {@link #connections} is at least 1. */
        void awaitConnection(PrintStream log) throws InterruptedException {
            if (connections() == 0) {
                log.println(Messages.DirectLaneSessions_waiting());
            }
            while (connections() == 0) {
                reserved.await(terms.agent);
            }
        }

        /** Returns whether one more request with a body may run. If so, the same thread must call {@link #end}. */
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
                reserved.release(terms.agent, 1);
                // the next request on this thread must not be interrupted
                Thread.interrupted();
            }
        }

        /** Invalidates the secret and interrupts running requests, because an agent may read or write arbitrarily slowly. */
        @Override
        public synchronized void close() {
            if (!closed) {
                closed = true;
                sessions.remove(keys.id());
                reserved.release(terms.agent, connections - running.size());
                running.forEach(Thread::interrupt);
            }
        }
    }
}
