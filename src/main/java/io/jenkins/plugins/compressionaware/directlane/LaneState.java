package io.jenkins.plugins.compressionaware.directlane;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.model.Computer;
import hudson.remoting.Channel;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The state of an agent's direct lane, as the administrator's page shows it.
 *
 * @param status state of the lane
 * @param cause last failure as reported by the agent, in one line; null if there was none
 * @param advice remedy in the current user's language; null if none is known
 * @param roundTripNanos round trip of an empty call, nanoseconds
 * @param streams number of streams over the channel that fit this round trip; more than 1 if the round trip limits a single stream
 */
@Restricted(NoExternalUse.class)
public record LaneState(
        Status status,
        @CheckForNull String cause,
        @CheckForNull String advice,
        long roundTripNanos,
        int streams) {
    public enum Status {
        OPEN,
        /** No transfer since the agent connected was large enough to open a lane. */
        NOT_NEEDED,
        OFF,
        /** No root URL is configured, and the agent reports no address. */
        NO_ADDRESS,
        /** The round trip is long, so streams over the channel are faster. */
        FAR,
        /** The last attempt failed. */
        LOST
    }

    /**
     * Returns the cached state without querying the agent.
     *
     * @return null if the agent is offline or has had no transfer since it connected
     */
    @CheckForNull
    public static LaneState of(Computer computer, DirectLane mode) {
        AgentInfo facts = computer.getChannel() instanceof Channel channel ? AgentInfo.ifKnown(channel) : null;
        return facts == null ? null : DirectLaneSetup.state(mode, (Channel) computer.getChannel(), facts);
    }
}
