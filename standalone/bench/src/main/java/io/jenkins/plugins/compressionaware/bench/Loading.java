package io.jenkins.plugins.compressionaware.bench;

import java.util.List;

/**
 * What an agent had to load for an archive, and what that took.
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
record Loading(long classes, long classBytes, long jarBytes, List<String> jars, long asked, long told, long bytes, long requests) {
    Loading withClasses(long loaded) {
        return new Loading(loaded, classBytes, jarBytes, jars, asked, told, bytes, requests);
    }
}
