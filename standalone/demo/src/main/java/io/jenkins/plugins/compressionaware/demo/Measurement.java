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
public record Measurement(
        Way way, long wallNanos, long agentCpuNanos, long controllerCpuNanos, ReceiveReport received, String remark) {
    private static final double SECOND = 1e9;
    private static final double MEGABYTE = 1e6;

    public double wallSeconds() {
        return wallNanos / SECOND;
    }

    public double agentCpuSeconds() {
        return agentCpuNanos / SECOND;
    }

    public double controllerCpuSeconds() {
        return controllerCpuNanos / SECOND;
    }

    double cpuSeconds() {
        return agentCpuSeconds() + controllerCpuSeconds();
    }

    double megabytesPerSecond() {
        return received.contentBytes() / MEGABYTE / wallSeconds();
    }

    double wireMegabytes() {
        return received.wireBytes() / MEGABYTE;
    }

    /** The measurement with the median wall time; of two, the longer. */
    static Measurement median(List<Measurement> measurements) {
        return measurements.stream()
                .sorted(Comparator.comparingLong(Measurement::wallNanos))
                .toList()
                .get(measurements.size() / 2);
    }
}
