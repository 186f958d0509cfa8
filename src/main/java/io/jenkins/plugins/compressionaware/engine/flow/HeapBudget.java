package io.jenkins.plugins.compressionaware.engine.flow;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import java.io.Closeable;
import java.util.HashMap;
import java.util.Map;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Limits the heap that all transfers to this JVM may fill together. A grant cannot be revoked, so each transfer gets at most half of the remaining budget,
 * which always leaves some for the next transfer; only the blocks being decoded and the next frame may exceed the limit, so that every transfer makes progress.
 * The transfers of one agent share at most half of the budget equally; bytes beyond this half do not reduce the grants of other agents. Thread-safe; no method
 * blocks.
 */
@Restricted(NoExternalUse.class)
public final class HeapBudget {
    /** Divisor of the JVM's largest heap. */
    private static final int HEAP_DIVISOR = 8;

    /** Divisor for a heap whose eighth is less than {@link #MIN_USEFUL_LIMIT}. */
    private static final int SMALL_HEAP_DIVISOR = 4;

    /** Bytes that give a single transfer nearly the whole window, which a distant agent needs; measured in docs/decisions.md. */
    private static final long MIN_USEFUL_LIMIT = 2L * Credit.WINDOW;

    /** Divisor of the remaining budget. With 2, {@code n} busy transfers converge to {@code 1 / (n + 1)} of the budget each. */
    private static final int FREE_DIVISOR = 2;

    /** Divisor of the budget for all transfers of one agent. */
    private static final int AGENT_DIVISOR = 2;

    private static final HeapBudget OF_THIS_JVM =
            new HeapBudget(limitOf(Runtime.getRuntime().maxMemory()));

    private final long limit;

    @GuardedBy("this")
    private long inUse;

    /** Like {@link #inUse}, but without the bytes by which agents exceed their shares. */
    @GuardedBy("this")
    private long charged;

    /** Transfers of agents. An agent without a running transfer has no entry. */
    @GuardedBy("this")
    private final Map<String, Account> agents = new HashMap<>();

    public HeapBudget(long limit) {
        this.limit = limit;
    }

    /** The reservations of all transfers of an agent, or of one transfer without an agent. */
    private static final class Account {
        private final long share;
        private int transfers;
        private long inUse;

        Account(long share) {
            this.share = share;
        }

        private long charged() {
            return Math.min(inUse, share);
        }
    }

    @GuardedBy("this")
    private void add(Account account, long bytes) {
        charged -= account.charged();
        account.inUse += bytes;
        charged += account.charged();
        inUse += bytes;
    }

    /** Returns the budget of this JVM: an eighth of its largest heap. A small heap gives a quarter, up to 32 MiB. */
    public static HeapBudget ofThisJvm() {
        return OF_THIS_JVM;
    }

    static long limitOf(long maxHeap) {
        return Math.max(maxHeap / HEAP_DIVISOR, Math.min(MIN_USEFUL_LIMIT, maxHeap / SMALL_HEAP_DIVISOR));
    }

    /** Returns the bytes that all transfers together may fill. */
    public long limit() {
        return limit;
    }

    /** Returns the bytes granted now, filled or not. May exceed {@link #limit} by the minimum that each transfer needs. */
    public synchronized long inUse() {
        return inUse;
    }

    /**
     * Opens the reservation of a transfer.
     *
     * @param fixed     bytes that the transfer needs while it runs
     * @param minWindow bytes that its longest frame needs; 0 if it receives no frames and needs no credit
     */
    public Reservation open(long fixed, long minWindow) {
        return new Reservation(fixed, minWindow);
    }

    /** The heap reserved for one transfer: its grants, and its files that wait for a slow disk. */
    public final class Reservation implements DiskHelpers.HeapQuota, Closeable {
        private final long fixed;
        private final long minWindow;

        @GuardedBy("HeapBudget.this")
        private Account account = new Account(limit);

        @GuardedBy("HeapBudget.this")
        private String agent;

        @GuardedBy("HeapBudget.this")
        private long reserved;

        @GuardedBy("HeapBudget.this")
        private long granted;

        @GuardedBy("HeapBudget.this")
        private long fileBytes;

        @GuardedBy("HeapBudget.this")
        private boolean closed;

        private Reservation(long fixed, long minWindow) {
            this.fixed = fixed;
            this.minWindow = minWindow;
            grant(0);
        }

        /**
         * Makes the reservation part of an agent's share. Must be called before the first grant is sent.
         *
         * @param name name of the agent; null for work that serves no agent
         * @return this reservation
         */
        public Reservation of(@CheckForNull String name) {
            synchronized (HeapBudget.this) {
                if (name != null && agent == null && !closed) {
                    add(account, -reserved);
                    reserved = 0;
                    granted = 0;
                    agent = name;
                    account = agents.computeIfAbsent(name, key -> new Account(limit / AGENT_DIVISOR));
                    account.transfers++;
                    grant(0);
                }
                return this;
            }
        }

        /** Returns the bytes that the longest frame needs. */
        public long minWindow() {
            return minWindow;
        }

        /**
         * Grants the heap that the transfer may fill now.
         *
         * @param consumed bytes of heap of all frames consumed since the start
         * @return bytes of heap that all frames since the start may occupy; never decreases
         */
        public long grant(long consumed) {
            synchronized (HeapBudget.this) {
                if (!closed) {
                    add(account, -reserved);
                    long remaining = (limit - charged - fixed) / FREE_DIVISOR;
                    long equalShare = account.share / Math.max(1, account.transfers) - fixed;
                    long share = Math.min(equalShare, account.share - account.inUse - fixed);
                    long window = Math.max(minWindow, Math.min(Credit.WINDOW, Math.min(remaining, share)));
                    granted = Math.max(granted, consumed + (minWindow == 0 ? 0 : window));
                    reserved = fixed + granted - consumed;
                    add(account, reserved);
                }
                return granted;
            }
        }

        /** Reserves heap for a file: at most a window for all files, half of the remaining budget, and the rest of the agent's share. */
        @Override
        public boolean tryReserve(long bytes) {
            synchronized (HeapBudget.this) {
                long remaining = (limit - charged + fileBytes) / FREE_DIVISOR;
                if (closed
                        || fileBytes + bytes > Math.min(Credit.WINDOW, remaining)
                        || bytes > account.share - account.inUse) {
                    return false;
                }
                fileBytes += bytes;
                add(account, bytes);
                return true;
            }
        }

        @Override
        public void release(long bytes) {
            synchronized (HeapBudget.this) {
                if (!closed) {
                    fileBytes -= bytes;
                    add(account, -bytes);
                }
            }
        }

        /** Releases everything. Later calls reserve nothing. */
        @Override
        public void close() {
            synchronized (HeapBudget.this) {
                add(account, -reserved - fileBytes);
                reserved = 0;
                fileBytes = 0;
                if (!closed && agent != null && --account.transfers == 0) {
                    agents.remove(agent);
                }
                closed = true;
            }
        }
    }
}
