package io.jenkins.plugins.compressionaware.engine.receive;

/**
 * Consecutive ranges of a frame file.
 *
 * @param first number of the first range, from 0
 */
record RangeSpan(long first, int count) {
    /** Returns the number of the range after the last. */
    long end() {
        return first + count;
    }
}
