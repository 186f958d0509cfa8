package io.jenkins.plugins.compressionaware.engine.receive;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.tar.WorkerResources;
import java.io.Closeable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Limits the heap that all transfers to this JVM may fill together. A grant cannot be revoked, so each transfer gets at most half of the remaining budget,
 * which always leaves some for the next transfer; only the blocks being decoded and the next frame may exceed the limit, so that every transfer makes progress.
 * Thread-safe; no method blocks.
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

    private static final HeapBudget OF_THIS_JVM =
            new HeapBudget(limitOf(Runtime.getRuntime().maxMemory()));

    private final long limit;

    @GuardedBy("this")
    private long inUse;

    HeapBudget(long limit) {
        this.limit = limit;
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
    public final class Reservation implements WorkerResources.HeapQuota, Closeable {
        private final long fixed;
        private final long minWindow;

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

        /** Returns the bytes that the longest frame needs. */
        long minWindow() {
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
                    long remaining = limit - (inUse - reserved) - fixed;
                    long window =
                            minWindow == 0 ? 0 : Math.max(minWindow, Math.min(Credit.WINDOW, remaining / FREE_DIVISOR));
                    granted = Math.max(granted, consumed + window);
                    inUse -= reserved;
                    reserved = fixed + granted - consumed;
                    inUse += reserved;
                }
                return granted;
            }
        }

        /** Reserves heap for a file: at most a window for all files, and at most half of the remaining budget. */
        @Override
        public boolean tryReserve(long bytes) {
            synchronized (HeapBudget.this) {
                if (closed || fileBytes + bytes > Math.min(Credit.WINDOW, (limit - inUse + fileBytes) / FREE_DIVISOR)) {
                    return false;
                }
                fileBytes += bytes;
                inUse += bytes;
                return true;
            }
        }

        @Override
        public void release(long bytes) {
            synchronized (HeapBudget.this) {
                if (!closed) {
                    fileBytes -= bytes;
                    inUse -= bytes;
                }
            }
        }

        /** Releases everything. Later calls reserve nothing. */
        @Override
        public void close() {
            synchronized (HeapBudget.this) {
                closed = true;
                inUse -= reserved + fileBytes;
                reserved = 0;
                fileBytes = 0;
            }
        }
    }
}
