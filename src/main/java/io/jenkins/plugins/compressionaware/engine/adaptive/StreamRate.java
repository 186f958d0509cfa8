package io.jenkins.plugins.compressionaware.engine.adaptive;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;

/** Measures the rate of streams from their writes. A write waits while the window of its stream is full. Not thread-safe. */
final class StreamRate {
    /** Result of {@link #busy} before the first writes. */
    static final double UNKNOWN_BUSY = 0.5;

    /** Weight of the latest value in a mean. */
    private static final double GAIN = 0.4;

    /** Nanoseconds of each stream after which a value counts, even of few bytes. */
    private static final double SPAN_NANOS = 10e6;

    private final int streams;
    private double bytes;
    private double nanos;
    private double waitedNanos;
    private double rate;
    private double busy = UNKNOWN_BUSY;
    private double written;
    private boolean filled;

    StreamRate(int streams) {
        this.streams = streams;
    }

    /** Records a write; see {@link LaneBalance#streamWrote}. */
    void wrote(int length, double writeNanos, double waitNanos) {
        written += length;
        bytes += length;
        nanos += writeNanos;
        waitedNanos += waitNanos;
        if (bytes >= Credit.STREAM_WINDOW || nanos + waitedNanos >= SPAN_NANOS * streams) {
            double latest = streams * bytes / Math.max(1, nanos);
            boolean first = rate == 0 || !filled && written > windows();
            rate = first ? latest : rate * Math.pow(latest / rate, GAIN);
            filled |= written > windows();
            busy += GAIN * (nanos / Math.max(1, nanos + waitedNanos) - busy);
            bytes = 0;
            nanos = 0;
            waitedNanos = 0;
        }
    }

    /** Records that the streams have rested, so that their windows are empty. */
    void restart() {
        written = 0;
        filled = false;
    }

    /** Returns the bytes per nanosecond of all streams while they write; 0 if unknown. Too high before {@link #hasFilledWindows}: writes return early. */
    double perNano() {
        return rate;
    }

    /** Returns the share of the time in which the streams write, and do not wait for frames or credit. */
    double busy() {
        return busy;
    }

    /** Returns the bytes written since the last restart. */
    double written() {
        return written;
    }

    /** Returns whether more bytes were written since the last restart than fit into the windows of all streams. */
    boolean hasFilledWindows() {
        return filled;
    }

    /** Returns the bytes that may be in transit on all streams. */
    double windows() {
        return (double) streams * Credit.STREAM_WINDOW;
    }
}
