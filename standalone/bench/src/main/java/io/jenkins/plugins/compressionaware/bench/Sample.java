package io.jenkins.plugins.compressionaware.bench;

import java.util.Map;

/**
 * What one run has cost. What was not or cannot be measured is null.
 *
 * @param wallSeconds    from the order until the files are in their place
 * @param wireBytes      bytes from the agent to the controller
 * @param agentCpu       CPU seconds of the agent's process
 * @param controllerCpu  CPU seconds of the controller's process
 * @param controllerHeap peak heap of the controller, bytes
 * @param loading        what the agent had to load
 * @param operations     by name, how often a slow disk was asked for them
 * @param note           what the plugin itself has said of it
 */
record Sample(
        double wallSeconds,
        Long wireBytes,
        Double agentCpu,
        Double controllerCpu,
        Long controllerHeap,
        Loading loading,
        Map<String, Long> operations,
        String note) {

    /** As if it had been so many times as much. */
    Sample times(double factor) {
        return new Sample(
                wallSeconds * factor,
                Math.round(wireBytes * factor),
                agentCpu * factor,
                controllerCpu * factor,
                controllerHeap,
                loading,
                operations,
                note);
    }

    Sample with(Loading other) {
        return new Sample(
                wallSeconds, wireBytes, agentCpu, controllerCpu, controllerHeap, other, operations, note);
    }
}
