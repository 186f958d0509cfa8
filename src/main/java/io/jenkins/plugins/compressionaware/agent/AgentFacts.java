package io.jenkins.plugins.compressionaware.agent;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.Serializable;

/**
 * What is known about the way to an agent.
 *
 * @param roundTrip        of an empty call
 * @param sharedProcessors processors of the machine that the agent shares with this controller; 0 if it has its own
 * @param platform         of the agent; see {@link CodecJar#platform}
 * @param controllerUrl    where an inbound agent has found the controller; null for other agents
 * @param ofKind           whether the agent has not said so itself, or not in a quiet moment: this is what one of its {@link AgentKind} has
 */
record AgentFacts(
        RoundTrip roundTrip,
        int sharedProcessors,
        String platform,
        @CheckForNull String controllerUrl,
        boolean ofKind) implements Serializable {
    private static final long serialVersionUID = 3;

    /** The same with a round trip that was measured of its kind. */
    AgentFacts ofKind(RoundTrip other) {
        return new AgentFacts(other, sharedProcessors, platform, controllerUrl, true);
    }
}
