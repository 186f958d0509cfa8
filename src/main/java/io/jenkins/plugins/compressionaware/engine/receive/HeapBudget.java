package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.tar.WorkerResources;
import java.io.Closeable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The heap that all transfers to this JVM may fill together, divided when credit is granted. A grant cannot be taken back
 * before it is used and consumed, so a transfer gets no more than a part of what the others leave: there is always something left for the
 * next one, and {@code n} busy transfers get a share of about {@code 1 / (n + 1)} each. A transfer always gets the heap for the blocks it is decoding and
 * for its next frame, so that each goes on; only that may exceed the limit. Any thread may call any method, and none waits.
 */
@Restricted(NoExternalUse.class)
public final class HeapBudget {
    /** Divisor of the heap. */
    private static final int HEAP_DIVISOR = 8;

    /** Divisor of a heap whose eighth is less than {@link #MIN_USEFUL_LIMIT}. */
    private static final int SMALL_HEAP_SHARE = 4;

    /** Bytes that leave a single transfer nearly the whole window, which a distant agent needs; docs/decisions.md has the measurement. */
    private static final long MIN_USEFUL_LIMIT = 2L * Credit.WINDOW;

    /** Divisor of the heap that the others leave. */
    private static final int FREE_DIVISOR = 2;

    private static final HeapBudget OF_THIS_JVM =
            new HeapBudget(limitOf(Runtime.getRuntime().maxMemory()));

    private final long limit;
    private long inUse;

    HeapBudget(long limit) {
        this.limit = limit;
    }

    /** For all transfers: an eighth of the largest heap that the JVM may have; of a small one a quarter, but no more than 32 MiB. */
    public static HeapBudget ofThisJvm() {
        return OF_THIS_JVM;
    }

    static long limitOf(long maxHeap) {
        return Math.max(maxHeap / HEAP_DIVISOR, Math.min(MIN_USEFUL_LIMIT, maxHeap / SMALL_HEAP_SHARE));
    }

    /** Bytes that all transfers together may fill. */
    public long limit() {
        return limit;
    }

    /** Bytes granted now, filled or not. May exceed the limit by what each transfer needs in any case. */
    public synchronized long inUse() {
        return inUse;
    }

    /**
     * Opens a transfer's account.
     *
     * @param fixed bytes that it needs as long as it runs
     * @param least bytes that its longest frame needs; 0 if it receives no frames, and needs no credit
     */
    public Reservation open(long fixed, long least) {
        return new Reservation(fixed, least);
    }

    /** The share of one transfer: its grants, and its files that wait for a slow disk. */
    public final class Reservation implements WorkerResources.HeapQuota, Closeable {
        private final long fixed;
        private final long minWindow;
        private long reserved;
        private long granted;
        private long taken;
        private boolean closed;

        private Reservation(long fixed, long least) {
            this.fixed = fixed;
            this.minWindow = least;
            grant(0);
        }

        /** Bytes for the longest frame. */
        long minWindow() {
            return minWindow;
        }

        /**
         * Grants the heap that it may have now.
         *
         * @param consumed bytes of heap of the frames consumed since the start
         * @return bytes that all frames since the start may take up; never less than before
         */
        public long grant(long consumed) {
            synchronized (HeapBudget.this) {
                if (!closed) {
                    long left = limit - (inUse - reserved) - fixed;
                    long window =
                            minWindow == 0 ? 0 : Math.max(minWindow, Math.min(Credit.WINDOW, left / FREE_DIVISOR));
                    granted = Math.max(granted, consumed + window);
                    inUse -= reserved;
                    reserved = fixed + granted - consumed;
                    inUse += reserved;
                }
                return granted;
            }
        }

        /** Files get no more than a window, and no more than a part of what the others leave. */
        @Override
        public boolean tryReserve(long bytes) {
            synchronized (HeapBudget.this) {
                if (closed || taken + bytes > Math.min(Credit.WINDOW, (limit - inUse + taken) / FREE_DIVISOR)) {
                    return false;
                }
                taken += bytes;
                inUse += bytes;
                return true;
            }
        }

        @Override
        public void release(long bytes) {
            synchronized (HeapBudget.this) {
                if (!closed) {
                    taken -= bytes;
                    inUse -= bytes;
                }
            }
        }

        /** Gives everything back. */
        @Override
        public void close() {
            synchronized (HeapBudget.this) {
                closed = true;
                inUse -= reserved + taken;
                reserved = 0;
                taken = 0;
            }
        }
    }
}
