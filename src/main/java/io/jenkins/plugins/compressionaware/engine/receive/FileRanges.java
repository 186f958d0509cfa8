package io.jenkins.plugins.compressionaware.engine.receive;

/**
 * The ranges of a frame file, numbered from 0.
 *
 * @param length of the file's frames, bytes, at least 1
 */
record FileRanges(long length) {
    /** Length of every range but the last, bytes. A range is decoded after all of it has arrived, which takes 50 ms at 10 Mbit/s. */
    static final int RANGE_BYTES = 64 << 10;

    long count() {
        return (length + RANGE_BYTES - 1) / RANGE_BYTES;
    }

    /** Returns the position of a range in the file, bytes. */
    static long position(long number) {
        return number * RANGE_BYTES;
    }

    /** Returns the length of a range, bytes. */
    int length(long number) {
        return (int) Math.min(RANGE_BYTES, length - position(number));
    }

    /** Returns the length of a span, bytes. */
    int length(RangeSpan span) {
        return (int) (Math.min(length, position(span.end())) - position(span.first()));
    }
}
