package io.jenkins.plugins.compressionaware.provisioning;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Facts about an agent and its link to the controller.
 *
 * @param roundTrip round trip of an empty call
 * @param sharedProcessors processors of the machine that agent and controller share; 0 if the agent has its own machine
 * @param platform platform of the agent, see {@link CodecJar#platform}
 * @param controllerUrl URL at which an inbound agent found the controller; null for other agents
 */
@Restricted(NoExternalUse.class)
public record AgentInfo(
        RoundTripEstimate roundTrip,
        int sharedProcessors,
        String platform,
        @CheckForNull String controllerUrl) {
    /** Maximum length of a text from the agent, characters. */
    private static final int MAX_TEXT = 500;

    public AgentInfo {
        platform = platform.length() <= MAX_TEXT ? platform : "";
        controllerUrl = controllerUrl == null || controllerUrl.length() <= MAX_TEXT ? controllerUrl : null;
    }
}
