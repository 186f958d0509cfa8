package io.jenkins.plugins.compressionaware.testkit.jenkins;

import hudson.model.Slave;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.junit.jupiter.InboundAgentExtension;

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
        if (this == TCP) {
            r.jenkins.setSlaveAgentPort(0);
        }
        return agents.createAgent(r, options(javaOptions));
    }
}
