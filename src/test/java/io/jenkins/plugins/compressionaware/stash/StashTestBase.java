package io.jenkins.plugins.compressionaware.stash;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.testing.jenkins.Agents;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An agent that stashes and unstashes, and leaves nothing that is not whole. */
abstract class StashTestBase extends JenkinsTestBase {
    Slave agent;

    @BeforeEach
    final void startAgent() throws Exception {
        agent = Agents.WEBSOCKET.start(agents, r);
    }

    @AfterEach
    final void noPartsAreLeft() throws Exception {
        assertEquals(List.of(), partsIn(r.jenkins.getRootDir().toPath().resolve("jobs")));
        assertEquals(List.of(), partsIn(Path.of(agent.getRootPath().getRemote())));
    }

    private static List<Path> partsIn(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(path -> path.getFileName().toString().matches("\\..*(partial|unstash).*"))
                    .toList();
        }
    }
}
