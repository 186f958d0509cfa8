package io.jenkins.plugins.compressionaware;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import hudson.EnvVars;
import hudson.slaves.DumbSlave;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.SshServer;
import java.nio.file.Path;
import org.jenkinsci.plugins.workflow.ArtifactManagerTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.jvnet.hudson.test.JenkinsRule;

/** Runs the test kit of Jenkins for artifact managers. */
class ComplianceTest extends JenkinsTestBase {
    @TempDir
    private Path temp;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void artifactsAndStashesPassKit(boolean unusualNames) throws Exception {
        ArtifactManagerTest.artifactArchiveAndDelete(r, factory, unusualNames);
        ArtifactManagerTest.artifactStashAndDelete(r, factory, unusualNames);
    }

    @ParameterizedTest
    @EnumSource(InboundTransport.class)
    void stashesOfInboundAgentsPassKit(InboundTransport transport) throws Exception {
        runKit(r, name -> (DumbSlave) transport.startNamed(name, agents, r));
    }

    @Test
    void stashesOfSshAgentPassKit() throws Exception {
        assumeTrue(SshServer.isPossible(), "OpenSSH's server is not installed");
        try (SshServer ssh = new SshServer(temp)) {
            runKit(r, name -> ssh.agent(r, name));
        }
    }

    private interface AgentStart {
        DumbSlave start(String name) throws Exception;
    }

    private static void runKit(JenkinsRule r, AgentStart agent) throws Exception {
        ArtifactManagerTest.artifactStashAndDelete(
                new WithAgent(r, agent), new CompressionAwareArtifactManagerFactory(), true);
        assertTrue(r.jenkins.getNode("remote") instanceof DumbSlave);
    }

    /** Returns our agent when the kit, without Docker, requests an agent from the rule. */
    private static final class WithAgent extends JenkinsRule {
        private final AgentStart agent;

        WithAgent(JenkinsRule r, AgentStart agent) {
            jenkins = r.jenkins;
            this.agent = agent;
        }

        @Override
        public DumbSlave createSlave(String name, String labels, EnvVars env) throws Exception {
            return agent.start(name);
        }
    }
}
