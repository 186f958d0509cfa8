package io.jenkins.plugins.compressionaware.ui;

import hudson.Util;
import io.jenkins.plugins.compressionaware.engine.adaptive.Selector;
import io.jenkins.plugins.compressionaware.engine.delta.Facts;
import io.jenkins.plugins.compressionaware.directlane.LaneState;
import io.jenkins.plugins.compressionaware.report.Formats;
import io.jenkins.plugins.compressionaware.report.Totals;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Problems and remedies, one sentence each, in the current user's language. */
final class Advice {
    private static final int MOST = 5;

    /** One or two transfers that waited for a disk are no reason to buy another. */
    private static final int OFTEN = 3;

    /** A higher cap is no limit, bytes per second: a busy channel carries about as much. */
    private static final double FAST = 100e6;

    private Advice() {}

    /**
     * @param newest        totals of today and yesterday
     * @param agents        totals of the last week, by name
     * @param jobs          totals of the last week, by full name
     * @param lackingCodecs codecs that did not load, by agent
     * @param withoutLane   agents without a direct lane
     * @param lanes         most lanes that the settings allow
     */
    static List<String> of(
            Totals newest,
            Map<String, Totals> agents,
            Map<String, Totals> jobs,
            Map<String, String> lackingCodecs,
            List<LaneRow> withoutLane,
            int lanes) {
        Stream<String> codecs = lackingCodecs.entrySet().stream().map(agent -> codec(agent.getKey(), agent.getValue()));
        Stream<String> lost = withoutLane.stream()
                .filter(row -> row.getReason() == LaneState.Kind.LOST)
                .map(row -> Messages.Advice_lost(
                        row.agent(),
                        Util.fixNull(
                                row.state().advice(), Util.fixNull(row.state().trouble()))));
        Stream<String> capped = withoutLane.stream()
                .map(row -> capped(row.agent(), row.state(), lanes))
                .filter(sentence -> !sentence.isEmpty());
        Stream<String> disk = isOften(newest.controllersDisk, newest.transfers)
                ? Stream.of(Messages.Advice_controllersDisk(newest.controllersDisk, newest.transfers))
                : Stream.empty();
        Stream<String> disks = agents.entrySet().stream()
                .filter(agent ->
                        !agent.getKey().isEmpty() && isOften(agent.getValue().agentsDisk, agent.getValue().transfers))
                .sorted(Comparator.comparingLong((Map.Entry<String, Totals> agent) -> agent.getValue().agentsDisk)
                        .reversed())
                .map(agent -> Messages.Advice_agentsDisk(
                        agent.getKey(), agent.getValue().agentsDisk, agent.getValue().transfers));
        // jobs that this user may know, most bytes first
        Stream<String> repeatNothing = jobs.entrySet().stream()
                .filter(job -> job.getValue().asked >= OFTEN
                        && job.getValue().earlierBytes < Facts.LEAST_SHARE * job.getValue().askedBytes
                        && JobName.of(job.getKey()).fullName() != null)
                .sorted(Comparator.comparingLong((Map.Entry<String, Totals> job) -> job.getValue().askedBytes)
                        .reversed())
                .map(job -> Messages.Advice_repeatsNothing(
                        job.getKey(),
                        Formats.ofReader().ratio(job.getValue().earlierBytes, job.getValue().askedBytes)));
        return Stream.of(codecs, lost, disk, disks, capped, repeatNothing)
                .flatMap(kind -> kind.limit(MOST))
                .toList();
    }

    private static String codec(String agent, String problem) {
        return problem.contains(IllegalCallerException.class.getName())
                ? Messages.Advice_nativeAccess(agent, problem)
                : Messages.Advice_codec(agent, problem);
    }

    private static boolean isOften(long slow, long transfers) {
        return slow >= OFTEN && slow * 10 >= transfers;
    }

    /** A sentence if the windows of streams and the round trip cap a transfer; empty if they do not. */
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
