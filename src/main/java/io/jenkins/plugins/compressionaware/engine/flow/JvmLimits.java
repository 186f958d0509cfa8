package io.jenkins.plugins.compressionaware.engine.flow;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The limits that all transfers of a JVM share. The permits and the heap of the indices are held here; other limits are held where their figures are.
 *
 * <pre>
 * limit           what it bounds                                 at most                       beyond it
 * READ_AHEAD      small files that are read ahead                64, of 128 KiB each           one file at a time
 * WRITERS         threads that write small files                 64                            the transfer's own thread writes
 * FRAMES_AHEAD    frames of fetches that are made ahead          64                            made when they are ordered
 * INDICES         heap for the indices of earlier builds         1/16 of the largest heap      everything is sent
 * HeapBudget      heap for grants, blocks and waiting files      1/8 of the largest heap       one frame per transfer
 * Admissions      requests of direct lanes at a time             40                            the streams of the channel
 * Indexing        tasks for indices and shared files             100, on one thread            the build has no index
 * </pre>
 *
 * <p>Other static state has one entry per running transfer or build (ArchiveLock, Notes, AgentEnd, Packed), or per codec and platform (CodecAvailability, CodecJar).
 */
@Restricted(NoExternalUse.class)
public final class JvmLimits {
    public static final Semaphore READ_AHEAD = new Semaphore(64);
    public static final Semaphore WRITERS = new Semaphore(64);
    public static final Semaphore FRAMES_AHEAD = new Semaphore(64);

    /** Heap of all open indices, bytes. */
    private static final AtomicLong INDICES = new AtomicLong();

    private static final long MOST_INDICES = Runtime.getRuntime().maxMemory() / 16;

    private JvmLimits() {}

    /** Takes heap for an index, or returns it if negative. Returns false, and takes nothing, if there is not enough. */
    public static boolean takeForIndex(long bytes) {
        boolean fits = INDICES.addAndGet(bytes) <= MOST_INDICES || bytes < 0;
        if (!fits) {
            INDICES.addAndGet(-bytes);
        }
        return fits;
    }
}
