package io.jenkins.plugins.compressionaware.testkit.jenkins;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.junit.jupiter.InboundAgentExtension;
import org.jvnet.hudson.test.junit.jupiter.WithJenkins;

/** Each test has a Jenkins of its own, and agents if it starts some. */
@WithJenkins
public abstract class OnJenkins {
    @RegisterExtension
    protected final InboundAgentExtension agents = new InboundAgentExtension();

    protected JenkinsRule r;

    @BeforeEach
    protected final void onJenkins(JenkinsRule rule) {
        r = rule;
    }
}
