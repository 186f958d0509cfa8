package io.jenkins.plugins.compressionaware.tar;

/**
 * How many files to work on at a time: one, and more only while files take long and more at a time get more done. On a local disk a file takes some ten
 * microseconds; on a network disk each of its operations waits for a server, which can answer many others meanwhile. A single spindle is slow as well, but two
 * files at a time take it twice as long as one. Not thread-safe.
 */
class Concurrency {
    /** As measured by others: NFS gains little beyond 8 to 16, EFS until 20. */
    static final int MOST = 32;

    /** A file that takes longer waits for a server or a spindle and not for the processor, nanoseconds. */
    private static final long SLOW = 500_000;

    /** Twice as many at a time double what gets done, or do nothing for it: this is between. */
    private static final double GAIN = 1.3;

    /** Files that are looked at before a decision: as many for each at a time, and at least twice this. */
    private static final int WINDOW = 8;

    /** Windows until it is tried again whether more would help. */
    private static final int PAUSE = 32;

    /** Files that were done per nanosecond, last measured with {@code 1 << i} at a time: of the clock, since threads also wait for each other. */
    private final double[] rates = new double[Integer.numberOfTrailingZeros(MOST) + 1];

    private int level;
    /** The first window is that of a JVM which still loads classes. */
    private int pause = 1;

    private int files;
    /** What they have kept their threads, nanoseconds. */
    private long nanos;
    /** When these began, by {@link System#nanoTime}; the first window counts for nothing. */
    private long begin;

    private int most;

    /** How many at a time, a power of two. */
    int now() {
        return 1 << level;
    }

    /** Most at a time that were worth it while files took long; 0 if they have not. */
    int most() {
        return most;
    }

    /**
     * One file more.
     *
     * @param took what it has kept one thread, nanoseconds
     * @param now  {@link System#nanoTime}
     */
    void done(long took, long now) {
        files++;
        nanos += took;
        if (files < WINDOW * Math.max(2, now())) {
            return;
        }
        rates[level] = (double) files / Math.max(1, now - begin);
        boolean slow = nanos > SLOW * files;
        if (level > 0 && (!slow || rates[level] < GAIN * rates[level - 1])) {
            level--;
            pause = PAUSE;
        } else if (slow) {
            if (pause < 1) {
                most = Math.max(most, now());
            }
            if (pause-- <= 0 && now() < MOST) {
                level++;
            }
        }
        files = 0;
        nanos = 0;
        begin = now;
    }
}
