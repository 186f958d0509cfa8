package io.jenkins.plugins.compressionaware.overview;

import hudson.Util;
import io.jenkins.plugins.compressionaware.adapt.Selector;
import io.jenkins.plugins.compressionaware.direct.LaneState;
import io.jenkins.plugins.compressionaware.report.Formats;
import io.jenkins.plugins.compressionaware.report.Totals;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What is wrong, and what somebody could change, in one sentence each, for the current user. */
final class Advice {
    /** Sentences of each kind. */
    private static final int MOST = 5;

    /** A cap above it is none, bytes per second: about what a busy channel carries. */
    private static final double FAST = 100e6;

    private Advice() {}

    /**
     * @param newest        totals of today and yesterday
     * @param lackingCodecs of agents
     * @param withoutLane   agents
     * @param lanes         that the settings allow
     */
    static List<String> of(Totals newest, Map<String, String> lackingCodecs, List<LaneRow> withoutLane, int lanes) {
        Stream<String> failed = newest.failed == 0
                ? Stream.empty()
                : Stream.of(Messages.Advice_failed(newest.failed, newest.transfers));
        Stream<String> codecs =
                lackingCodecs.entrySet().stream().map(agent -> Messages.Advice_codec(agent.getKey(), agent.getValue()));
        Stream<String> lost = withoutLane.stream()
                .filter(row -> row.getReason() == LaneState.Kind.LOST)
                .map(row -> Messages.Advice_lost(
                        row.agent, Util.fixNull(row.state.advice(), Util.fixNull(row.state.trouble()))));
        Stream<String> capped = withoutLane.stream()
                .map(row -> capped(row.agent, row.state, lanes))
                .filter(sentence -> !sentence.isEmpty());
        return Stream.of(failed, codecs, lost, capped)
                .flatMap(kind -> kind.limit(MOST))
                .toList();
    }

    /** Where streams' windows and the round trip say how fast a transfer can be; empty if there is nothing to say. */
    static String capped(String agent, LaneState state, int lanes) {
        int used = Math.min(lanes, state.streams());
        double cap = used * (double) Selector.STREAM_WINDOW * TimeUnit.SECONDS.toNanos(1) / state.roundTripNanos();
        if (state.roundTripNanos() <= 0 || cap >= FAST) {
            return "";
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(state.roundTripNanos());
        String megabytes = Formats.ofReader().number(cap / 1e6);
        return used < state.streams()
                ? Messages.Advice_lanes(agent, millis, used, megabytes, state.streams())
                : Messages.Advice_far(agent, millis, used, megabytes);
    }
}
