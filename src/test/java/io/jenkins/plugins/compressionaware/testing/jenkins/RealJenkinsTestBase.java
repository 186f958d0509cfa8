package io.jenkins.plugins.compressionaware.testing.jenkins;

import org.junit.jupiter.api.extension.RegisterExtension;
import org.jvnet.hudson.test.junit.jupiter.InboundAgentExtension;
import org.jvnet.hudson.test.junit.jupiter.RealJenkinsExtension;

/** Gives each test a controller in a separate process, where each plugin has its own class loader, and agents. */
public abstract class RealJenkinsTestBase {
    @RegisterExtension
    protected final RealJenkinsExtension jenkins = new RealJenkinsExtension();

    @RegisterExtension
    protected final InboundAgentExtension agents = new InboundAgentExtension();
}
