package io.jenkins.plugins.compressionaware.engine.tar;

/**
 * Decides how many files to work on at a time: one, and more only while files take long and working on more at a time gets more done. On a local disk a file
 * takes some ten microseconds; on a network disk each operation waits for a server, which can answer many others meanwhile. A single spindle is slow as well,
 * but needs twice as long for two files at a time as for one. Not thread-safe.
 */
class AdaptiveConcurrency {
    /** Most files at a time. As measured by others, NFS gains little beyond 8 to 16, and EFS beyond 20. */
    static final int MAX_FILES = 32;

    /** A file that takes longer than this, in nanoseconds, waits for a server or a spindle rather than for the processor. */
    private static final long SLOW_FILE_NANOS = 500_000;

    /** Least gain that justifies twice as many at a time: these either double the rate or do not change it. */
    private static final double GAIN = 1.3;

    /** Files before each decision: this many for each one at a time, and at least twice this. */
    private static final int WINDOW = 8;

    /** Windows until more files at a time are tried again. */
    private static final int RETRY_AFTER_WINDOWS = 32;

    /** Files done per nanosecond, last measured with {@code 1 << i} at a time: by the clock, since threads also wait for each other. */
    private final double[] rates = new double[Integer.numberOfTrailingZeros(MAX_FILES) + 1];

    private int level;
    /** Windows to wait: in the first one, the JVM still loads classes. */
    private int pause = 1;

    private int files;
    /** Time that these files have occupied their threads, nanoseconds. */
    private long nanos;
    /** Start of the window, by {@link System#nanoTime}; unknown for the first one, which does not count. */
    private long begin;

    private int peak;

    /** Files at a time now, a power of two. */
    int current() {
        return 1 << level;
    }

    /** Most files at a time that were worthwhile while files took long; 0 if they never did. */
    int peak() {
        return peak;
    }

    /**
     * A file is done.
     *
     * @param took time that it occupied one thread, nanoseconds
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
        if (level > 0 && (!slow || rates[level] < GAIN * rates[level - 1])) {
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
