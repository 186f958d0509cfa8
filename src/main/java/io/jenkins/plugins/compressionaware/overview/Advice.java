package io.jenkins.plugins.compressionaware.overview;

import hudson.model.Computer;
import io.jenkins.plugins.compressionaware.adapt.Selector;
import io.jenkins.plugins.compressionaware.agent.LaneState;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import jenkins.model.Jenkins;

/** What somebody could change, in one sentence each, for the current user. Asks no agent. */
final class Advice {
    /** Sentences of each kind. */
    private static final int MOST = 5;

    /** A cap above it is none, bytes per second: about what a busy channel carries. */
    private static final double FAST = 100e6;

    private Advice() {}

    static List<String> now(Transfers transfers, TransferSettings settings) {
        List<String> advice = new ArrayList<>();
        transfers.lackingCodecs().entrySet().stream()
                .limit(MOST)
                .map(agent -> Messages.Advice_codec(agent.getKey(), agent.getValue()))
                .forEach(advice::add);
        capped(settings).stream().limit(MOST).forEach(advice::add);
        return advice;
    }

    /** Agents whose streams' windows and round trip say how fast a transfer can be. */
    private static List<String> capped(TransferSettings settings) {
        List<String> advice = new ArrayList<>();
        for (Computer computer : Jenkins.get().getComputers()) {
            LaneState state = LaneState.of(computer, settings.directLane());
            if (state != null && state.kind() != LaneState.Kind.OPEN && state.kind() != LaneState.Kind.NOT_NEEDED) {
                String sentence = capped(computer.getDisplayName(), state, settings.lanes());
                if (!sentence.isEmpty()) {
                    advice.add(sentence);
                }
            }
        }
        return advice;
    }

    /** Empty if there is nothing to say. */
    static String capped(String agent, LaneState state, int lanes) {
        int used = Math.min(lanes, state.streams());
        double cap = used * (double) Selector.STREAM_WINDOW * TimeUnit.SECONDS.toNanos(1) / state.roundTripNanos();
        if (state.roundTripNanos() <= 0 || cap >= FAST) {
            return "";
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(state.roundTripNanos());
        return used < state.streams()
                ? Messages.Advice_lanes(agent, millis, used, Shown.megabytes(cap), state.streams())
                : Messages.Advice_far(agent, millis, used, Shown.megabytes(cap));
    }
}
