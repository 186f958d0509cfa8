package io.jenkins.plugins.compressionaware.ui;

import hudson.Util;
import io.jenkins.plugins.compressionaware.directlane.LaneState;
import io.jenkins.plugins.compressionaware.engine.delta.ArchiveStats;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.report.FigureFormat;
import io.jenkins.plugins.compressionaware.report.TransferTotals;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Creates the advice on the administrator's page: problems and remedies in the current user's language. */
final class Advice {
    private static final int MAX_PER_TOPIC = 5;

    /** Minimum number of affected transfers, so that single events cause no advice. */
    private static final int MIN_OCCURRENCES = 3;

    /** Rate up to which advice about the distance is given. A busy channel carries about as much, even to a near agent. */
    private static final double FAST_BYTES_PER_SECOND = 100e6;

    private Advice() {}

    /**
     * Returns at most {@value #MAX_PER_TOPIC} sentences per topic.
     *
     * @param newest            totals of today and yesterday
     * @param agents            totals of the last week, by name
     * @param jobs              totals of the last week, by full name
     * @param unavailableCodecs codecs that did not load, by agent
     * @param withoutLane       agents without a direct lane
     */
    static List<String> of(
            TransferTotals newest,
            Map<String, TransferTotals> agents,
            Map<String, TransferTotals> jobs,
            Map<String, String> unavailableCodecs,
            List<LaneState> withoutLane) {
        Stream<String> codecs =
                unavailableCodecs.entrySet().stream().map(agent -> codec(agent.getKey(), agent.getValue()));
        Stream<String> lost = withoutLane.stream()
                .filter(state -> state.status() == LaneState.Status.LOST)
                .map(state ->
                        Messages.Advice_lost(state.agent(), Util.fixNull(state.advice(), Util.fixNull(state.cause()))));
        Stream<String> capped =
                withoutLane.stream().map(Advice::roundTripAdvice).filter(sentence -> !sentence.isEmpty());
        Stream<String> disk = isOften(newest.controllerDiskBound, newest.transfers)
                ? Stream.of(Messages.Advice_controllersDisk(newest.controllerDiskBound, newest.transfers))
                : Stream.empty();
        Stream<String> disks = agents.entrySet().stream()
                .filter(agent -> !agent.getKey().isEmpty()
                        && isOften(agent.getValue().agentDiskBound, agent.getValue().transfers))
                .sorted(Comparator.comparingLong(agent -> -agent.getValue().agentDiskBound))
                .map(agent -> Messages.Advice_agentsDisk(
                        agent.getKey(), agent.getValue().agentDiskBound, agent.getValue().transfers));
        // only jobs that the user may see, most bytes first
        Stream<String> repeatNothing = jobs.entrySet().stream()
                .filter(job -> job.getValue().deltaTransfers >= MIN_OCCURRENCES
                        && job.getValue().reusedBytes < ArchiveStats.MIN_USEFUL_SHARE * job.getValue().deltaRawBytes
                        && JobReference.of(job.getKey()).fullName() != null)
                .sorted(Comparator.comparingLong(job -> -job.getValue().deltaRawBytes))
                .map(job -> Messages.Advice_repeatsNothing(
                        job.getKey(),
                        FigureFormat.ofReader().ratio(job.getValue().reusedBytes, job.getValue().deltaRawBytes)));
        return Stream.of(codecs, lost, disk, disks, capped, repeatNothing)
                .flatMap(topic -> topic.limit(MAX_PER_TOPIC))
                .toList();
    }

    private static String codec(String agent, String problem) {
        return problem.contains(IllegalCallerException.class.getName())
                ? Messages.Advice_nativeAccess(agent, problem)
                : Messages.Advice_codec(agent, problem);
    }

    private static boolean isOften(long slow, long transfers) {
        return slow >= MIN_OCCURRENCES && slow * 10 >= transfers;
    }

    /** Returns a sentence if the windows of the streams and the round trip limit transfers; empty otherwise. */
    private static String roundTripAdvice(LaneState state) {
        int used = state.streams();
        double cap = used * (double) Credit.STREAM_WINDOW * TimeUnit.SECONDS.toNanos(1) / state.roundTripNanos();
        if (state.roundTripNanos() <= 0 || cap >= FAST_BYTES_PER_SECOND) {
            return "";
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(state.roundTripNanos());
        String megabytes = FigureFormat.ofReader().number(cap / 1e6);
        return used < state.neededStreams()
                ? Messages.Advice_lanes(state.agent(), millis, used, megabytes, state.neededStreams())
                : Messages.Advice_far(state.agent(), millis, used, megabytes);
    }
}
