package io.jenkins.plugins.compressionaware.demo;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What one run has cost. What was not or cannot be measured is null. */
public final class Sample {
    /** From the order until the files are in their place. */
    public double wallSeconds;
    /** Bytes between the agent and the controller. */
    public long wireBytes;
    /** CPU seconds of the agent's process. */
    public double agentCpu;
    /** CPU seconds of the controller's process. */
    public double controllerCpu;
    /** Peak heap of the controller, bytes. */
    public Long controllerHeap;
    /** What the agent had to load. */
    public Loading loading;
    /** By name, how often a slow disk was asked for them. */
    public Map<String, Long> operations;
    /** What the plugin itself has said of it; may be empty. */
    public String note;
    /** Where an archive is, as long as it is there. */
    public transient Path archive;

    /**
     * What an agent of Jenkins had to load, and what that took.
     *
     * @param classes    loaded by the agent's JVM, its own and the platform's
     * @param classBytes answers to its requests for classes and resources, bytes on the channel
     * @param jarBytes   jars sent to it, bytes
     * @param jars       their names, in the order in which they were asked for
     * @param asked      remote calls from the agent to the controller
     * @param told       remote calls from the controller to the agent
     * @param bytes      everything sent to the agent over the channel, bytes
     * @param requests   HTTP requests of any kind
     */
    public record Loading(
            long classes, long classBytes, long jarBytes, List<String> jars, long asked, long told, long bytes, long requests) {
        public Loading withClasses(long loaded) {
            return new Loading(loaded, classBytes, jarBytes, jars, asked, told, bytes, requests);
        }
    }
}
