package io.jenkins.plugins.compressionaware.engine.tar;

/**
 * Chooses how many files to process in parallel: one by default, more only while files are slow and parallelism increases throughput. A network disk benefits,
 * because its server handles many operations at once; a local disk or a single spindle does not. Not thread-safe.
 */
class AdaptiveConcurrency {
    /** Maximum number of files in parallel. Published measurements show hardly any gain beyond 8 to 16 for NFS, and beyond 20 for EFS. */
    static final int MAX_FILES = 32;

    /** A file that takes longer than this, in nanoseconds, waits for a server or a spindle, not for the processor. */
    private static final long SLOW_FILE_NANOS = 500_000;

    /** Minimum speedup that justifies twice as many files in parallel. In practice, doubling either doubles the throughput or does not change it. */
    private static final double MIN_GAIN = 1.3;

    /** Length of a window, after which the concurrency is chosen anew: this many files for each file in parallel, and for at least two. */
    private static final int WINDOW = 8;

    /** Windows after a decrease before a higher concurrency is tried again. */
    private static final int RETRY_AFTER_WINDOWS = 32;

    /** Latest throughput with {@code 1 << i} files in parallel: files per nanosecond of elapsed time, because threads also wait for each other. */
    private final double[] rates = new double[Integer.numberOfTrailingZeros(MAX_FILES) + 1];

    private int level;
    /** Windows before the next increase. The first window is skipped, because the JVM is still loading classes. */
    private int pause = 1;

    private int files;
    /** Nanoseconds that the files of this window occupied their threads, in total. */
    private long nanos;
    /** Start of the window, by {@link System#nanoTime}. Unset during the first window, because its throughput is not used. */
    private long begin;

    private int peak;

    /** Returns how many files to process in parallel, a power of two. */
    int current() {
        return 1 << level;
    }

    /** Returns the highest concurrency that paid off while files were slow; 0 if files were never slow. */
    int peak() {
        return peak;
    }

    /**
     * Records a processed file.
     *
     * @param took time that the file occupied one thread, nanoseconds
     * @param now  {@link System#nanoTime}
     */
    void record(long took, long now) {
        files++;
        nanos += took;
        if (files < WINDOW * Math.max(2, current())) {
            return;
        }
        rates[level] = (double) files / Math.max(1, now - begin);
        boolean slow = nanos > SLOW_FILE_NANOS * files;
        if (level > 0 && (!slow || rates[level] < MIN_GAIN * rates[level - 1])) {
            level--;
            pause = RETRY_AFTER_WINDOWS;
        } else if (slow) {
            if (pause < 1) {
                peak = Math.max(peak, current());
            }
            if (pause-- <= 0 && current() < MAX_FILES) {
                level++;
            }
        }
        files = 0;
        nanos = 0;
        begin = now;
    }
}
