package io.jenkins.plugins.compressionaware.stash;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.testing.Leftovers;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Starts an agent for stashes, and checks that no incomplete file remains after each test. */
abstract class StashTestBase extends JenkinsTestBase {
    Slave agent;

    @BeforeEach
    final void startAgent() throws Exception {
        agent = InboundTransport.WEBSOCKET.start(agents, r);
    }

    @AfterEach
    final void assertNoPartialFiles() throws Exception {
        assertEquals(
                List.of(), Leftovers.partials(r.jenkins.getRootDir().toPath().resolve("jobs")));
        assertEquals(List.of(), Leftovers.partials(Path.of(agent.getRootPath().getRemote())));
    }
}
