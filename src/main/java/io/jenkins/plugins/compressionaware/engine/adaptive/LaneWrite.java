package io.jenkins.plugins.compressionaware.engine.adaptive;

import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * One write of a lane, and its waits before. Times are in nanoseconds.
 *
 * @param wireLength   bytes written
 * @param writeNanos   time in the write, blocked or not
 * @param creditWaitNanos    time without credit
 * @param frameWaitNanos time without anything to write
 */
@Restricted(NoExternalUse.class)
public record LaneWrite(int wireLength, long writeNanos, long creditWaitNanos, long frameWaitNanos) {}
