package io.jenkins.plugins.compressionaware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.FilePath;
import hudson.Launcher;
import hudson.model.FreeStyleBuild;
import hudson.model.Label;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Leftovers;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests archiving from an agent, an excluded agent and a workspace on the controller into one archive. */
@Timeout(300)
class ConcurrentArchiversTest extends JenkinsTestBase {
    @TempDir
    private Path tmp;

    private final Map<String, FilePath> workspaces = new TreeMap<>();

    @BeforeEach
    void start() throws Exception {
        factory.setExcludedLabels("legacy");
        usePlugin();
        workspaces.put("agent", workspace(r.createOnlineSlave().getRootPath()));
        workspaces.put(
                "excluded", workspace(r.createOnlineSlave(Label.get("legacy")).getRootPath()));
        workspaces.put("controller", workspace(new FilePath(tmp.toFile())));
    }

    private static FilePath workspace(FilePath root) throws Exception {
        FilePath workspace = root.child("workspace");
        workspace.mkdirs();
        return workspace;
    }

    private void archive(FreeStyleBuild build, String from, Map<String, String> files) throws Exception {
        new CompressionAwareArtifactManager(build)
                .archive(workspaces.get(from), new Launcher.LocalLauncher(QUIET), QUIET, files);
    }

    /** Core keeps files that it wrote before a failure. */
    @Test
    void failedArchiveLeavesExistingFilesUnchanged() throws Exception {
        for (String from : workspaces.keySet()) {
            FreeStyleBuild build = r.buildAndAssertSuccess(r.createFreeStyleProject());
            FilePath workspace = workspaces.get(from);
            write(workspace, "a", "earlier");
            write(workspace, "d/file", "earlier");
            archive(build, from, Map.of("a", "a", "d/file", "d/file"));
            Map<String, String> earlier = FileTrees.describe(archiveOf(build));
            write(workspace, "a", "later");
            write(workspace, "b", "new");
            IOException failure = assertThrows(
                    IOException.class, () -> archive(build, from, Map.of("a", "a", "b", "b", "d", "b")), from);
            assertTrue(failure.getMessage().contains("d is a folder in the way of a file"), failure.toString());
            assertEquals(earlier, FileTrees.describe(archiveOf(build)), from);
            assertEquals(List.of(), Leftovers.partials(build.getRootDir().toPath()));
        }
    }

    private static void write(FilePath workspace, String name, String content) throws IOException {
        FileTrees.write(Path.of(workspace.getRemote()), name, content);
    }
}
