package io.jenkins.plugins.compressionaware.testing.jenkins;

import hudson.model.Slave;
import java.io.IOException;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.junit.jupiter.InboundAgentExtension;
import org.jvnet.hudson.test.junit.jupiter.RealJenkinsExtension;

/** Inbound agents in separate processes. */
public enum InboundTransport {
    TCP,
    WEBSOCKET;

    public InboundAgentExtension.Options options(String... javaOptions) {
        return build(InboundAgentExtension.Options.newBuilder().javaOptions(javaOptions));
    }

    private InboundAgentExtension.Options build(InboundAgentExtension.Options.Builder options) {
        return (this == WEBSOCKET ? options.webSocket() : options).build();
    }

    public Slave start(InboundAgentExtension agents, JenkinsRule r, String... javaOptions) throws Exception {
        openPort(r);
        return agents.createAgent(r, options(javaOptions));
    }

    /** Starts an agent with this name. */
    public Slave startNamed(String name, InboundAgentExtension agents, JenkinsRule r) throws Exception {
        openPort(r);
        return agents.createAgent(
                r, build(InboundAgentExtension.Options.newBuilder().name(name)));
    }

    /** Starts a controller in a separate process, and an agent {@code remote} over a WebSocket. */
    public static void startBoth(RealJenkinsExtension jenkins, InboundAgentExtension agents) throws Throwable {
        jenkins.startJenkins();
        startNamed("remote", agents, jenkins);
    }

    /** Starts an agent with this name over a WebSocket. */
    public static void startNamed(String name, InboundAgentExtension agents, RealJenkinsExtension jenkins)
            throws Throwable {
        agents.createAgent(
                jenkins,
                WEBSOCKET.build(InboundAgentExtension.Options.newBuilder().name(name)));
    }

    private void openPort(JenkinsRule r) throws IOException {
        if (this == TCP) {
            r.jenkins.setSlaveAgentPort(0);
        }
    }
}
