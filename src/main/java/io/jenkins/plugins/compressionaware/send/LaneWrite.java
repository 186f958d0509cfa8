package io.jenkins.plugins.compressionaware.send;

/**
 * A piece that a lane has written, and what it waited for before.
 *
 * @param wireLength   of the piece, bytes
 * @param writeNanos   time in the write, blocked or not
 * @param heldNanos    time in which the receiver allowed no more (no credit)
 * @param starvedNanos time in which there was nothing to write
 */
record LaneWrite(int wireLength, long writeNanos, long heldNanos, long starvedNanos) {}
