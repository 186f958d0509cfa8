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
 * An agent without a direct lane.
 *
 * @param state   for the page; the getters give programs its details
 * @param streams the most that a transfer opens over the channel, as the round trip asks for and the settings allow
 */
@ExportedBean(defaultVisibility = 2)
@Restricted(NoExternalUse.class)
public record AgentLaneRow(@Exported String agent, String url, LaneState state, int streams) {
    @Exported
    public LaneState.Status getReason() {
        return state.kind();
    }

    /** The agent's own words for its trouble; null if it has none. */
    @Exported
    @CheckForNull
    public String getTrouble() {
        return state.trouble();
    }

    /**
     * One row per agent without a direct lane that has had a transfer since it connected; none if direct lanes are switched off. Asks no agent.
     */
    static List<AgentLaneRow> all(TransferSettings settings) {
        return Stream.of(Jenkins.get().getComputers())
                .flatMap(computer -> Stream.ofNullable(LaneState.of(computer, settings.directLane()))
                        .filter(state -> state.kind() == LaneState.Status.NO_ADDRESS
                                || state.kind() == LaneState.Status.FAR
                                || state.kind() == LaneState.Status.LOST)
                        .map(state -> new AgentLaneRow(
                                computer.getDisplayName(),
                                computer.getUrl(),
                                state,
                                Math.min(settings.lanes(), state.streams()))))
                .toList();
    }

    /** For the page. */
    public String getWhy() {
        long millis = TimeUnit.NANOSECONDS.toMillis(state.roundTripNanos());
        return switch (state.kind()) {
            case OPEN, NOT_NEEDED, OFF -> "";
            case NO_ADDRESS -> Messages.AgentLaneRow_noAddress();
            case FAR -> Messages.AgentLaneRow_far(millis, streams);
            case LOST -> Messages.AgentLaneRow_lost();
        };
    }
}
