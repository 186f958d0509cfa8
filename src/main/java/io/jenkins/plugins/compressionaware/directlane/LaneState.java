package io.jenkins.plugins.compressionaware.directlane;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.model.Computer;
import hudson.remoting.Channel;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfoCache;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Whether an agent has a direct lane.
 *
 * @param trouble        its last trouble, in the agent's words and one line; null if none
 * @param advice         what to change, in the current user's language; null if nothing is known that would help
 * @param roundTripNanos of an empty call, nanoseconds
 * @param streams        streams over the channel that this round trip asks for; more than 1 if it caps a single one
 */
@Restricted(NoExternalUse.class)
public record LaneState(
        Status kind,
        @CheckForNull String trouble,
        @CheckForNull String advice,
        long roundTripNanos,
        int streams) {
    /** Why the agent has a lane or not. */
    public enum Status {
        OPEN,
        /** No transfer was large enough to open one since the agent has connected. */
        NOT_NEEDED,
        /** The administrator has switched it off. */
        OFF,
        /** No root URL is configured, and the agent has no address of its own. */
        NO_ADDRESS,
        /** The round trip is long, and streams over the channel are faster. */
        FAR,
        /** It was tried and does not work. */
        LOST
    }

    /**
     * The state as known, without asking the agent.
     *
     * @return null for an agent that is offline or has had no transfer since it has connected
     */
    @CheckForNull
    public static LaneState of(Computer computer, DirectLane mode) {
        AgentInfo facts = computer.getChannel() instanceof Channel channel ? AgentInfoCache.getIfKnown(channel) : null;
        return facts == null ? null : DirectLaneSetup.state(mode, (Channel) computer.getChannel(), facts);
    }
}
