package io.jenkins.plugins.compressionaware.demo;

import java.io.IOException;

/** What lies between agent and controller. */
@FunctionalInterface
public interface Link {
    /** The port of the loopback interface on which the agent reaches a server on {@code port}. */
    int portTo(int port) throws IOException;
}
