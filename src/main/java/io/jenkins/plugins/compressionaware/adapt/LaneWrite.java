package io.jenkins.plugins.compressionaware.adapt;

/**
 * A piece that a lane has written, and what it waited for before. Times in nanoseconds.
 *
 * @param wireLength   of the piece, bytes
 * @param writeNanos   time in the write, blocked or not
 * @param heldNanos    time in which the receiver allowed no more (no credit)
 * @param starvedNanos time in which there was nothing to write
 */
public record LaneWrite(int wireLength, long writeNanos, long heldNanos, long starvedNanos) {}
