package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import hudson.model.Result;
import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.engine.tar.TarPacker;
import io.jenkins.plugins.compressionaware.store.S3Store;
import io.jenkins.plugins.compressionaware.testing.EmptyClass;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An agent whose class path hides a class of the plugin. */
class LackingClassesTest extends JenkinsTestBase {
    @TempDir
    Path temp;

    private Path workspace;

    @BeforeEach
    void startAgent() throws Exception {
        usePlugin();
        Slave agent = InboundTransport.TCP.start(agents, r, EmptyClass.preferredTo(TarPacker.class, temp));
        agent.setLabelString("other");
        workspace = Files.createDirectory(temp.resolve("workspace"));
        FileTrees.noise(workspace.resolve("noise"), 20_000_000); // more than bootstrap calls send
    }

    @Test
    void classConflictFallsBackToJenkins() throws Exception {
        WorkflowJob job = pipeline("node('other') { ws('" + workspace
                + "') { archiveArtifacts 'noise'; stash 's'; dir('again') { unstash 's' } } }");

        WorkflowRun build = r.buildAndAssertSuccess(job);

        Path archive = archiveOf(build);
        assertEquals(-1, Files.mismatch(workspace.resolve("noise"), archive.resolve("noise")));
        assertEquals(-1, Files.mismatch(workspace.resolve("noise"), workspace.resolve("again/noise")));
        String reason = " by Jenkins itself: the agent's class path has other versions of this plugin's classes. ";
        r.assertLogContains("Artifacts: archived" + reason, build);
        r.assertLogContains("Stash s: stashed" + reason, build);
        r.assertLogContains("Stashed 1 file(s)", build);
    }

    /** The controller's disk may be too small for what belongs in a store. */
    @ParameterizedTest
    @ValueSource(strings = {"archiveArtifacts 'noise'", "stash 's'"})
    void classConflictFailsWithStore(String step) throws Exception {
        S3Store store = new S3Store("artifacts");
        store.setEndpoint("http://127.0.0.1:1");
        store.setRegion("us-east-1");
        factory.setStore(store);

        WorkflowRun build = r.buildAndAssertStatus(
                Result.FAILURE, pipeline("node('other') { ws('" + workspace + "') { " + step + " } }"));

        r.assertLogNotContains("by Jenkins itself", build);
        assertFalse(Files.exists(archiveOf(build)));
        assertFalse(Files.exists(build.getRootDir().toPath().resolve("stashes")));
    }
}
