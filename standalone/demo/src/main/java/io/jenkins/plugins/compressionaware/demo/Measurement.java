package io.jenkins.plugins.compressionaware.demo;

import io.jenkins.plugins.compressionaware.receive.ReceiveReport;
import java.util.Comparator;
import java.util.List;

/**
 * What one transfer has cost.
 *
 * @param wallNanos          from the order until the files are in their place
 * @param agentCpuNanos      CPU time of the agent's process
 * @param controllerCpuNanos CPU time of the controller's process
 * @param remark             what the agent had to do otherwise; empty if nothing
 */
record Measurement(
        Way way, long wallNanos, long agentCpuNanos, long controllerCpuNanos, ReceiveReport received, String remark) {
    private static final double SECOND = 1e9;
    private static final double MEGABYTE = 1e6;

    double wallSeconds() {
        return wallNanos / SECOND;
    }

    double agentCpuSeconds() {
        return agentCpuNanos / SECOND;
    }

    double controllerCpuSeconds() {
        return controllerCpuNanos / SECOND;
    }

    double cpuSeconds() {
        return agentCpuSeconds() + controllerCpuSeconds();
    }

    double megabytesPerSecond() {
        return received.contentBytes() / MEGABYTE / wallSeconds();
    }

    double ratio() {
        return (double) received.wireBytes() / received.rawBytes();
    }

    /** The measurement with the median wall time, of an odd number of them. */
    static Measurement median(List<Measurement> measurements) {
        return measurements.stream()
                .sorted(Comparator.comparingLong(Measurement::wallNanos))
                .toList()
                .get(measurements.size() / 2);
    }
}
