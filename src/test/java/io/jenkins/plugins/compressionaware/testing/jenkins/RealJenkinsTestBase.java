package io.jenkins.plugins.compressionaware.testing.jenkins;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.jvnet.hudson.test.junit.jupiter.InboundAgentExtension;
import org.jvnet.hudson.test.junit.jupiter.RealJenkinsExtension;

/** A controller in a process of its own, where each plugin has its class loader, and agents. */
public abstract class RealJenkinsTestBase {
    @RegisterExtension
    protected final RealJenkinsExtension jenkins = new RealJenkinsExtension();

    @RegisterExtension
    protected final InboundAgentExtension agents = new InboundAgentExtension();
}
