package io.jenkins.plugins.compressionaware.directlane;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.model.Computer;
import hudson.remoting.Channel;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/**
 * The state of an agent's direct lane, as the administrator's page shows it.
 *
 * @param url URL of the agent, relative to Jenkins' root URL
 * @param cause last failure as reported by the agent, in one line; null if there was none
 * @param advice remedy in the current user's language; null if none is known
 * @param roundTripNanos round trip of an empty call, nanoseconds
 * @param neededStreams number of streams over the channel that fit this round trip; more than 1 if the round trip limits a single stream
 * @param streams number of streams that the settings allow of these
 */
@ExportedBean(defaultVisibility = 2)
@Restricted(NoExternalUse.class)
public record LaneState(
        @Exported String agent,
        String url,
        @Exported(name = "reason") Status status,
        @Exported @CheckForNull String cause,
        @CheckForNull String advice,
        long roundTripNanos,
        int neededStreams,
        int streams) {
    public enum Status {
        OPEN,
        /** No transfer since the agent connected has needed a lane. */
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
     * Returns the state of every agent that has transferred data since it connected and has no direct lane; empty if direct lanes are switched off. Makes no
     * calls to agents.
     */
    public static List<LaneState> withoutLane(TransferSettings settings) {
        return Stream.of(Jenkins.get().getComputers())
                .flatMap(computer -> Stream.ofNullable(of(computer, settings)))
                .filter(state -> !state.explanation().isEmpty())
                .toList();
    }

    @CheckForNull
    private static LaneState of(Computer computer, TransferSettings settings) {
        Channel channel = computer.getChannel() instanceof Channel connected ? connected : null;
        AgentInfo facts = channel == null ? null : AgentInfo.ifKnown(channel);
        return facts == null ? null : DirectLaneSetup.state(computer, channel, facts, settings);
    }

    /** Returns why the agent has no direct lane; empty if it has one or needs none. */
    public String explanation() {
        return switch (status) {
            case OPEN, NOT_NEEDED, OFF -> "";
            case NO_ADDRESS -> Messages.LaneState_noAddress();
            case FAR -> Messages.LaneState_far(TimeUnit.NANOSECONDS.toMillis(roundTripNanos), streams);
            case LOST -> Messages.LaneState_lost();
        };
    }
}
