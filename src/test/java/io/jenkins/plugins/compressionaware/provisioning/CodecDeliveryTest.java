package io.jenkins.plugins.compressionaware.provisioning;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import io.jenkins.plugins.compressionaware.testing.jenkins.AgentInThisJvm;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
class CodecDeliveryTest extends JenkinsTestBase {
    /** The agent's temporary folder hangs. The first other transfer waits for two minutes, and three more would wait for six. */
    @Test
    @Timeout(300)
    void deliveryThatNeverEndsIsAwaitedOnce() throws Exception {
        try (AgentInThisJvm agent = new AgentInThisJvm()) {
            String platform = AgentInfo.of(agent.channel()).platform();
            agent.fallSilent();
            Thread.currentThread().interrupt();
            assertThrows(InterruptedException.class, () -> deliver(agent, platform));
            for (int i = 0; i < 4; i++) {
                assertNull(deliver(agent, platform));
            }
        }
    }

    private static String deliver(AgentInThisJvm agent, String platform) throws InterruptedException {
        return CodecDelivery.deliver(agent.channel(), platform, CodecLibrary.ZSTD);
    }
}
