package io.jenkins.plugins.compressionaware;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.FilePath;
import hudson.model.FreeStyleBuild;
import io.jenkins.plugins.compressionaware.testing.jenkins.AgentInThisJvm;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the fallback to core for an agent that reports a class conflict: the agent must not send files that were not requested. */
class CoreFallbackTest extends JenkinsTestBase {
    @TempDir
    private Path workspace;

    /** Adds a name to the map when the map is serialized. */
    private static final class WithOneMore extends HashMap<String, String> {
        private static final long serialVersionUID = 1;
        private final String more;

        WithOneMore(Map<String, String> names, String more) {
            super(names);
            this.more = more;
        }

        private Object writeReplace() {
            Map<String, String> sent = new HashMap<>(this);
            sent.put(more, more);
            return sent;
        }
    }

    @Test
    void fallbackRefusesFilesNotRequested() throws Exception {
        Files.writeString(Files.createDirectory(workspace.resolve("d")).resolve("asked"), "content");
        Files.writeString(workspace.resolve("other"), "evil");
        Files.createSymbolicLink(workspace.resolve("link"), Path.of("missing"));
        FreeStyleBuild build = r.buildAndAssertSuccess(r.createFreeStyleProject());
        Path archive = build.getArtifactsDir().toPath();
        Map<String, String> names = Map.of("d/asked", "d/asked", "./asked", "d/asked");
        try (AgentInThisJvm agent = new AgentInThisJvm()) {
            for (String more : new String[] {"other", "link", "d/other"}) {
                Files.writeString(workspace.resolve("d/other"), "evil");
                assertFails(
                        "Refused " + Path.of(more) + ": it was not requested",
                        () -> archive(agent, build, new WithOneMore(names, more)));
                assertTrue(Files.notExists(archive), "the archive is empty");
            }
            Map<String, String> all = new HashMap<>(names);
            all.put("link", "link");
            archive(agent, build, all);
        }
        try (Stream<Path> archived = Files.walk(archive)) {
            assertEquals(3, archived.filter(path -> !Files.isDirectory(path)).count());
        }
        assertEquals("content", Files.readString(archive.resolve("d/asked")));
        assertTrue(Files.exists(archive.resolve("link"), LinkOption.NOFOLLOW_LINKS));
    }

    private void archive(AgentInThisJvm agent, FreeStyleBuild build, Map<String, String> names) throws Exception {
        new CompressionAwareArtifactManager(build)
                .archiveAsCore(new FilePath(agent.channel(), workspace.toString()), QUIET, names, false);
    }
}
