package io.jenkins.plugins.compressionaware.stash;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
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
        assertEquals(List.of(), partialFiles(r.jenkins.getRootDir().toPath().resolve("jobs")));
        assertEquals(List.of(), partialFiles(Path.of(agent.getRootPath().getRemote())));
    }

    private static List<Path> partialFiles(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(path -> path.getFileName().toString().matches("\\..*(partial|unstash).*"))
                    .toList();
        }
    }
}
