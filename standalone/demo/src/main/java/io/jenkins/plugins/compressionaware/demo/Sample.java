package io.jenkins.plugins.compressionaware.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The measurements of one run. Figures that were not measured are null. */
public final class Sample {
    /** From the request until the files are in place. */
    public double wallSeconds;
    /** Bytes between the agent and the controller. */
    public long wireBytes;
    /** CPU seconds of the agent's process. */
    public double agentCpu;
    /** CPU seconds of the controller's process. */
    public double controllerCpu;
    /** Peak heap of the controller, bytes. */
    public Long controllerHeap;
    /** Most threads of the controller at a time. */
    public Integer controllerThreads;
    /** Most open file descriptors of the controller, counted ten times per second. */
    public Long controllerDescriptors;
    /** Classes and jars that the agent had to load. */
    public Loading loading;
    /** Number of requests to a slow disk, by name. */
    public Map<String, Long> operations;
    /** Lengths of the files in the archive or of the objects in the store, bytes. */
    public Long diskBytes;
    /** Number of files, links and folders in the archive, with the archive itself. */
    public Long inodes;
    /** Number of objects in the store. */
    public Long objects;
    /** The plugin's own remark, or empty. */
    public String note;
    /** The archive, until it is deleted. */
    public transient Path archive;

    /** Sets {@link #diskBytes} and {@link #inodes}. */
    public void addStorage(Path folder) throws IOException {
        long[] sums = new long[2];
        try (Stream<Path> paths = Files.walk(folder)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                sums[0] += Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS) ? Files.size(path) : 0;
                sums[1]++;
            }
        }
        diskBytes = sums[0];
        inodes = sums[1];
    }

    /**
     * Classes and bytes that an agent of Jenkins had to load.
     *
     * @param classes    classes loaded by the agent's JVM, including the platform's
     * @param classBytes bytes on the channel that answer requests for classes and resources
     * @param jarBytes   bytes of jars sent to the agent
     * @param jars       names of the jars, in the order of their requests
     * @param callsFromAgent      remote calls from the agent to the controller
     * @param callsToAgent       remote calls from the controller to the agent
     * @param bytes      all bytes sent to the agent over the channel
     * @param requests   HTTP requests of any kind
     */
    public record Loading(
            long classes,
            long classBytes,
            long jarBytes,
            List<String> jars,
            long callsFromAgent,
            long callsToAgent,
            long bytes,
            long requests) {
        public Loading withClasses(long loaded) {
            return new Loading(loaded, classBytes, jarBytes, jars, callsFromAgent, callsToAgent, bytes, requests);
        }
    }
}
