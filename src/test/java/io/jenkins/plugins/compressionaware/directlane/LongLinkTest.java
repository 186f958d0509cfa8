package io.jenkins.plugins.compressionaware.directlane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.ShapingProxy;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.junit.jupiter.InboundAgentExtension;

/** A round trip of 100 ms, at which a single stream would carry at most 10 MB/s. */
class LongLinkTest extends JenkinsTestBase {
    @Test
    void blocksAreStripedOverLanes() throws Exception {
        usePlugin();
        r.jenkins.setSlaveAgentPort(0);
        try (ShapingProxy proxy = new ShapingProxy(0, 100)) {
            int port = proxy.portTo(r.jenkins.getTcpSlaveAgentListener().getPort());
            Slave agent = agents.createAgent(
                    r,
                    InboundAgentExtension.Options.newBuilder()
                            .tunnel("127.0.0.1:" + port)
                            .build());
            FreeStyleProject job = archiving(agent);
            Path workspace = workspaceOf(agent, job);
            byte[] noise = FileTrees.noise(20_000_000);
            Files.write(workspace.resolve("noise"), noise);

            FreeStyleBuild build = r.buildAndAssertSuccess(job);

            assertEquals(FileTrees.describe(workspace), FileTrees.describe(archiveOf(build)));
            String log = JenkinsRule.getLog(build);
            assertTrue(log.contains("; 8 streams"), log);
            // the proxy delays only the channel, so requests would work
            assertFalse(log.contains("; direct HTTP "), log);

            factory.setMaxLanes(3);
            r.assertLogContains("; 3 streams", r.buildAndAssertSuccess(job));
        }
    }
}
