package io.jenkins.plugins.compressionaware.ui;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.directlane.LaneState;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/**
 * A row of the table of agents without a direct lane.
 *
 * @param url     relative to Jenkins' root URL
 * @param streams maximum number of streams over the channel, limited by the round trip and the settings
 */
@ExportedBean(defaultVisibility = 2)
@Restricted(NoExternalUse.class)
public record AgentLaneRow(@Exported String agent, String url, LaneState state, int streams) {
    @Exported
    public LaneState.Status getReason() {
        return state.status();
    }

    /** Returns the agent's error message; null if there is none. */
    @Exported
    @CheckForNull
    public String getCause() {
        return state.cause();
    }

    /**
     * Returns a row for every agent that has transferred data since it connected and has no direct lane; empty if direct lanes are switched off. Makes no
     * calls to agents.
     */
    static List<AgentLaneRow> all(TransferSettings settings) {
        return Stream.of(Jenkins.get().getComputers())
                .flatMap(computer -> Stream.ofNullable(LaneState.of(computer, settings.directLane()))
                        .filter(state -> state.status() == LaneState.Status.NO_ADDRESS
                                || state.status() == LaneState.Status.FAR
                                || state.status() == LaneState.Status.LOST)
                        .map(state -> new AgentLaneRow(
                                computer.getDisplayName(),
                                computer.getUrl(),
                                state,
                                Math.min(settings.lanes(), state.streams()))))
                .toList();
    }

    public String getExplanation() {
        long millis = TimeUnit.NANOSECONDS.toMillis(state.roundTripNanos());
        return switch (state.status()) {
            case OPEN, NOT_NEEDED, OFF -> "";
            case NO_ADDRESS -> Messages.AgentLaneRow_noAddress();
            case FAR -> Messages.AgentLaneRow_far(millis, streams);
            case LOST -> Messages.AgentLaneRow_lost();
        };
    }
}
