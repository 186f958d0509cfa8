package io.jenkins.plugins.compressionaware.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.tasks.ArtifactArchiver;
import io.jenkins.plugins.compressionaware.engine.packed.Packed;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.jvnet.hudson.test.JenkinsRule;

/** Fetches some artifacts of a build whose artifacts are packed. */
class PackedPartsFetchTest extends FetchTestBase {
    private static final String PACKED = "The artifacts are packed.";

    Path workspace;

    @BeforeEach
    void start() throws Exception {
        usePlugin();
        pack();
        start(InboundTransport.TCP);
        source.setAssignedNode(agent);
        source.getPublishersList().add(new ArtifactArchiver("**"));
        workspace = workspaceOf(agent, source);
    }

    void pack() throws Exception {
        factory.setStorage("packed");
    }

    private Map<String, String> contents(WorkflowRun build) throws Exception {
        r.assertBuildStatusSuccess(build);
        Map<String, String> contents = new HashMap<>();
        // without modes and times
        workspace(build)
                .forEach((name, text) -> contents.put(name, text.replaceFirst("^(file) \\S+ (\\d+ \\d+).*", "$1 $2")));
        return contents;
    }

    @Test
    void partsMatchCopyArtifacts() throws Exception {
        RandomTree.create(workspace, 3);
        RandomTree.deleteLinksToFolders(workspace, 0);
        deleteLinks(workspace);
        FileTrees.write(workspace, "one.txt", "1");
        FileTrees.write(workspace, "lib/two.jar", "2");
        Files.write(workspace.resolve("lib/noise.jar"), FileTrees.noise(3_000_000));
        r.buildAndAssertSuccess(source);
        for (String part : List.of(
                "filter: 'lib/**'",
                "filter: 'lib/'",
                "filter: '**/*.jar, one.txt', excludes: '**/two*'",
                "filter: '**/*a*'",
                "excludes: 'lib/**', target: 'sub'")) {
            WorkflowRun copied = run("copyArtifacts projectName: 'source', " + part);
            assertEquals(0, fetched());
            WorkflowRun sent = run("fetchArtifacts projectName: 'source', " + part);
            assertEquals(1, fetched(), part);
            r.assertLogNotContains(PACKED, sent);
            assertEquals(contents(copied), contents(sent), part);
            assertEquals(Map.of(), FileTrees.describe(packed()), part);
        }
    }

    private static void deleteLinks(Path folder) throws Exception {
        for (String name : FileTrees.names(folder).keySet()) {
            if (Files.isSymbolicLink(folder.resolve(name)) || name.contains("\\")) {
                Files.delete(folder.resolve(name));
            }
        }
    }

    @Test
    void othersAreCopied() throws Exception {
        FileTrees.write(workspace, "lib/two.jar", "2");
        FileTrees.write(workspace, "linked/file", "3");
        Files.createSymbolicLink(workspace.resolve("linked/link"), Path.of("file"));
        FileTrees.write(archiveOf(r.buildAndAssertSuccess(source)), "plain/file", "4");
        for (String part : List.of(
                "filter: 'plain/**'",
                "filter: 'lib/**', flatten: true",
                "filter: 'lib/**', fingerprintArtifacts: true",
                "filter: 'linked/**'")) {
            WorkflowRun build = r.assertBuildStatusSuccess(run("fetchArtifacts projectName: 'source', " + part));
            r.assertLogContains(PACKED, build);
            assertEquals(0, fetched(), part);
        }
        WorkflowRun none = run("fetchArtifacts projectName: 'source', filter: 'none/**', optional: true");
        r.assertLogNotContains(PACKED, r.assertBuildStatusSuccess(none));
    }

    /** An agent may have archived a file whose index leads to files that the step did not request. */
    @Test
    void forgedIndexBringsNoOtherFile(@TempDir Path tree) throws Exception {
        FileTrees.write(workspace, "x", "first");
        Path archive = archiveOf(r.buildAndAssertSuccess(source));
        FileTrees.delete(archive.resolve("packed-artifacts"));
        FileTrees.write(tree, "a", "first");
        FileTrees.write(tree, "b", "other");
        Packed.forged(tree, archive);
        WorkflowRun build = run("fetchArtifacts projectName: 'source', filter: 'a'");
        assertTrue(JenkinsRule.getLog(build).contains(PACKED), JenkinsRule.getLog(build));
        assertEquals(0, fetched());
        assertFalse(workspace(build).containsKey("b"));
    }
}
