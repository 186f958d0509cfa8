package io.jenkins.plugins.compressionaware.directlane;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.FreeStyleProject;
import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.testing.ShapingProxy;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.junit.jupiter.InboundAgentExtension;

/** A round trip of 100 ms, at which a single stream would carry at most 10 MB/s. */
class LongLinkTest extends LaneTestBase {
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
            FreeStyleProject job = job(agent, 20_000_000);
            String log = archive(job);
            assertTrue(log.contains("; 8 streams"), log);
            // the proxy delays only the channel, so requests would work
            assertFalse(log.contains("; direct HTTP "), log);

            factory.setMaxLanes(3);
            r.assertLogContains("; 3 streams", r.buildAndAssertSuccess(job));
        }
    }
}
