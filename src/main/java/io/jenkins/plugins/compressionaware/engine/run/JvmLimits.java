package io.jenkins.plugins.compressionaware.engine.run;

import java.util.concurrent.Semaphore;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Lists the limits that all transfers of a JVM share, and holds some of them. The other limits are held by the classes in the first column.
 *
 * <pre>
 * limit                what it bounds                               at most                    beyond it
 * READ_AHEAD           small files that are read ahead              64, of 128 KiB each        files are read one at a time
 * WRITERS              threads that write small files               64                         the transfer's own thread writes
 * FRAMES_AHEAD         frames of fetches that are built ahead       64                         frames are built when requested
 * LANE_THREADS         threads of direct lanes at the sending or    64                         the streams do the work
 *                      unpacking end, even of ended transfers
 * PACKING              blocks that the controller compresses        half of the processors     blocks wait their turn
 * INDEX_KIBIBYTES      heap for chunk indexes                       1/16 of the maximum heap   the files are sent in full
 * PACKED_BYTES         heap for blocks of packed archives           1/32 of the maximum heap   the oldest are dropped
 * ZIP_PAGES            heap for entries of large zip files          1/8 of the maximum heap     the download waits, 10 minutes
 * HeapBudget           heap for grants, blocks and waiting files    1/8 of the maximum heap    one frame per transfer
 * PartSender           parts of one object in memory                5, of 8 MiB at first        the sender waits
 * UploadSession        list of the files of one object              1/32 of the maximum heap   the transfer fails
 * DirectLaneSessions   requests of direct lanes at a time           40                         frames use the channel's streams
 * AgentTurn            transfers of one agent at a time             32                         the transfer waits
 * ChunkIndexer         queued tasks to index and deduplicate        100, on one thread         the build has no index
 * UninterruptedCommand commands to one agent that have not ended    100                        the command fails
 * </pre>
 *
 * <p>The transfers of one agent get at most half of INDEX_KIBIBYTES and HeapBudget, and a quarter of DirectLaneSessions; a job gets a quarter of ChunkIndexer.
 * Other static state has one entry per running transfer or build (ArchiveLock, StagingJournal, AgentEnd, AgentTurn, PackedCopy), per file that is being
 * unpacked (FileClaims), per library and platform (CodecJar), or per library (CodecLibrary).
 */
@Restricted(NoExternalUse.class)
public final class JvmLimits {
    public static final Semaphore READ_AHEAD = new Semaphore(64);
    public static final Semaphore WRITERS = new Semaphore(64);
    public static final Semaphore FRAMES_AHEAD = new Semaphore(64);

    /** More than the connections that the controller allows an agent, and a probe of each of its transfers. */
    public static final Semaphore LANE_THREADS = new Semaphore(64);

    /** Fair, so that no transfer waits for all blocks of another. */
    public static final Semaphore PACKING =
            new Semaphore(Math.max(1, Runtime.getRuntime().availableProcessors() / 2), true);

    /** Heap for all open chunk indexes. */
    public static final SharedLimit INDEX_KIBIBYTES = new SharedLimit(
            kibibytes(Runtime.getRuntime().maxMemory() / 16),
            kibibytes(Runtime.getRuntime().maxMemory() / 32));

    /** Heap for recently used blocks and index pages of packed archives, bytes. */
    public static final long PACKED_BYTES = Runtime.getRuntime().maxMemory() / 32;

    /** Bytes that the JDK keeps for the 2,000 entries of an index page until a zip file ends. */
    private static final int ZIP_PAGE = 480_000;

    public static final int MAX_ZIP_PAGES =
            (int) Math.max(1, Math.min(1 << 20, Runtime.getRuntime().maxMemory() / 8 / ZIP_PAGE));

    /** Index pages of the packed artifacts in large zip files. Fair, so that a large one gets its turn. */
    public static final Semaphore ZIP_PAGES = new Semaphore(MAX_ZIP_PAGES, true);

    private JvmLimits() {}

    /** Converts bytes, without an overflow. */
    public static int kibibytes(long bytes) {
        return (int) Math.min(Integer.MAX_VALUE, bytes >> 10);
    }
}
