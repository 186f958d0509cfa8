package io.jenkins.plugins.compressionaware.testkit.jenkins;

import hudson.model.Slave;
import java.io.IOException;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.junit.jupiter.InboundAgentExtension;
import org.jvnet.hudson.test.junit.jupiter.RealJenkinsExtension;

/** Inbound agents in processes of their own. */
public enum Agents {
    TCP {
        @Override
        public InboundAgentExtension.Options options(String... javaOptions) {
            return InboundAgentExtension.Options.newBuilder()
                    .javaOptions(javaOptions)
                    .build();
        }
    },
    WEBSOCKET {
        @Override
        public InboundAgentExtension.Options options(String... javaOptions) {
            return InboundAgentExtension.Options.newBuilder()
                    .webSocket()
                    .javaOptions(javaOptions)
                    .build();
        }
    };

    public abstract InboundAgentExtension.Options options(String... javaOptions);

    public Slave start(InboundAgentExtension agents, JenkinsRule r, String... javaOptions) throws Exception {
        openPort(r);
        return agents.createAgent(r, options(javaOptions));
    }

    /** One with a name of its own. */
    public Slave startNamed(String name, InboundAgentExtension agents, JenkinsRule r) throws Exception {
        openPort(r);
        InboundAgentExtension.Options.Builder options =
                InboundAgentExtension.Options.newBuilder().name(name);
        return agents.createAgent(r, (this == WEBSOCKET ? options.webSocket() : options).build());
    }

    /** Starts a controller in a process of its own, and an agent {@code remote} over a WebSocket. */
    public static void startBoth(RealJenkinsExtension jenkins, InboundAgentExtension agents) throws Throwable {
        jenkins.startJenkins();
        agents.createAgent(
                jenkins,
                InboundAgentExtension.Options.newBuilder()
                        .name("remote")
                        .webSocket()
                        .build());
    }

    private void openPort(JenkinsRule r) throws IOException {
        if (this == TCP) {
            r.jenkins.setSlaveAgentPort(0);
        }
    }
}
