package io.jenkins.plugins.compressionaware.provisioning;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Facts about an agent and the way to it.
 *
 * @param roundTrip        of an empty call
 * @param sharedProcessors processors of the machine that the agent shares with this controller; 0 if it has its own
 * @param platform         of the agent; see {@link CodecJar#platform}
 * @param controllerUrl    URL at which an inbound agent has found the controller; null for other agents
 */
@Restricted(NoExternalUse.class)
public record AgentInfo(
        RoundTripEstimate roundTrip,
        int sharedProcessors,
        String platform,
        @CheckForNull String controllerUrl) {
    /** Longest text from an agent that is kept, characters. */
    private static final int MAX_TEXT = 500;

    public AgentInfo {
        platform = platform.length() <= MAX_TEXT ? platform : "";
        controllerUrl = controllerUrl == null || controllerUrl.length() <= MAX_TEXT ? controllerUrl : null;
    }
}
