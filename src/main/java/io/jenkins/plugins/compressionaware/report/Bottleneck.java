package io.jenkins.plugins.compressionaware.report;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.report.StageTimes.Stage;

/** The cause that limited the speed of a transfer: the busiest stage, if that stage was busy for at least half of the transfer's time. */
public enum Bottleneck {
    AGENTS_DISK,
    CONTROLLERS_DISK,
    COMPRESSION,
    DECOMPRESSION,
    NETWORK,
    /** The round trip to the agent: a stream carries at most one window per round trip. */
    DISTANCE,
    /** The processors of a machine that runs both agent and controller. */
    PROCESSORS;

    /** Share of the rate possible with the windows and the round trip. At or above this share, the distance is the bottleneck, not the network. */
    private static final double NEAR = 0.8;

    /**
     * Determines the bottleneck of a transfer; null if there is none.
     *
     * @param stage  {@link StageTimes#longest}
     * @param millis busy time of that stage
     */
    @CheckForNull
    static Bottleneck of(TransferResult result, @CheckForNull Stage stage, long millis, TransferProgress known) {
        int processors = known.sharedProcessors();
        boolean isCpuKnown = result.sendingCpu >= 0 && result.receivingCpu >= 0;
        if (processors > 0
                && isCpuKnown
                && (result.sendingCpu + result.receivingCpu) * 2 >= result.duration * processors) {
            return PROCESSORS;
        }
        if (stage == null) {
            return null;
        }
        boolean isLocal = result.agent.equals(TransferInfo.CONTROLLER);
        boolean isToAgent = result.operation.isToAgent();
        return switch (stage) {
            case READING -> isToAgent || isLocal ? CONTROLLERS_DISK : AGENTS_DISK;
            case COMPRESSING -> COMPRESSION;
            case LINK ->
                isLocal ? CONTROLLERS_DISK : isFar(result, millis, known.roundTripNanos()) ? DISTANCE : NETWORK;
            case DECODING -> DECOMPRESSION;
            case WRITING -> isToAgent && !isLocal ? AGENTS_DISK : CONTROLLERS_DISK;
        };
    }

    private static boolean isFar(TransferResult result, long millis, long roundTripNanos) {
        double mostBytes = result.lanes * millis * 1e6 / roundTripNanos * Credit.STREAM_WINDOW;
        return result.channelBytes > result.directBytes && result.channelBytes >= NEAR * mostBytes;
    }
}
