package io.jenkins.plugins.compressionaware.engine.adaptive;

import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * One write of a lane and the waits before it, in nanoseconds.
 *
 * @param wireLength      bytes written
 * @param writeNanos      duration of the write, blocked or not
 * @param creditWaitNanos wait for credit
 * @param frameWaitNanos  wait for a frame
 */
@Restricted(NoExternalUse.class)
public record LaneWrite(int wireLength, long writeNanos, long creditWaitNanos, long frameWaitNanos) {}
