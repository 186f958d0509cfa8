package io.jenkins.plugins.compressionaware.adapt;

import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * A piece that a lane has written, and what it waited for before. Times in nanoseconds.
 *
 * @param wireLength   of the piece, bytes
 * @param writeNanos   time in the write, blocked or not
 * @param heldNanos    time in which the receiver allowed no more (no credit)
 * @param starvedNanos time in which there was nothing to write
 */
@Restricted(NoExternalUse.class)
public record LaneWrite(int wireLength, long writeNanos, long heldNanos, long starvedNanos) {}
