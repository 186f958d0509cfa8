package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.receive.DirectReceiver;
import java.io.Closeable;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The transfers that requests may bring blocks for now. Each gets its connections before it starts, so that all together never hold more of
 * the web server's threads than {@link #CONNECTIONS}.
 */
final class Admissions {
    static final Admissions ALL = new Admissions();

    /** Requests at a time, of all transfers: a fifth of the 200 threads that Jenkins' web server has by default. */
    static final int CONNECTIONS = 40;

    private static final int TOKEN_BYTES = 256 / 8;

    private final SecureRandom random = new SecureRandom();
    private final Set<Admission> open = ConcurrentHashMap.newKeySet();
    private final AtomicLong refused = new AtomicLong();
    private int free = CONNECTIONS;

    /**
     * Lets one transfer in until it is closed.
     *
     * @param wanted connections; it gets fewer when few are left
     * @return null if none are left
     */
    @CheckForNull
    Admission open(DirectReceiver receiver, int wanted) {
        int connections = reserve(wanted);
        if (connections == 0) {
            return null;
        }
        byte[] secret = new byte[TOKEN_BYTES];
        random.nextBytes(secret);
        String token = Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
        Admission transfer = new Admission(receiver, token, connections);
        open.add(transfer);
        return transfer;
    }

    // the more of them are in use, the fewer each gets, so that more transfers get one at all
    private synchronized int reserve(int wanted) {
        int connections = Math.min(free, Math.min(wanted, Math.max(1, free / 8)));
        free -= connections;
        return connections;
    }

    private synchronized void release(int connections) {
        free += connections;
    }

    /** The transfer with this token; null if there is none. Takes the same time for every token. */
    @CheckForNull
    Admission find(String token) {
        byte[] digest = digest(token);
        Admission found = null;
        for (Admission transfer : open) {
            if (MessageDigest.isEqual(digest, transfer.digest)) {
                found = transfer;
            }
        }
        return found;
    }

    /** Counts a request that was turned away. */
    long countRefusal() {
        return refused.incrementAndGet();
    }

    /** Requests that were turned away since Jenkins was started. */
    long refusals() {
        return refused.get();
    }

    private static byte[] digest(String token) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has it", e);
        }
    }

    /** One transfer's right to requests. */
    final class Admission implements Closeable {
        private final DirectReceiver receiver;
        private final String token;
        private final byte[] digest;
        private final int connections;
        private int unused;
        private boolean closed;

        private Admission(DirectReceiver receiver, String token, int connections) {
            this.receiver = receiver;
            this.token = token;
            this.connections = connections;
            digest = digest(token);
            unused = connections;
        }

        DirectReceiver receiver() {
            return receiver;
        }

        String token() {
            return token;
        }

        int connections() {
            return connections;
        }

        /** Whether one more request may run; to be followed by {@link #end}. */
        synchronized boolean begin() {
            if (closed || unused == 0) {
                return false;
            }
            unused--;
            return true;
        }

        synchronized void end() {
            if (closed) {
                release(1);
            } else {
                unused++;
            }
        }

        /** The token is worth nothing from now on. A request that still runs keeps its connection until it ends. */
        @Override
        public synchronized void close() {
            if (!closed) {
                closed = true;
                open.remove(this);
                release(unused);
            }
        }
    }
}
