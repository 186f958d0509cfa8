package io.jenkins.plugins.compressionaware.fetch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.model.FreeStyleProject;
import hudson.model.Result;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.Archiving;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.RealJenkinsTestBase;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.awaitility.Awaitility;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule;

/** Kills the controller's process during a fetch. */
class FetchAcrossRestartTest extends RealJenkinsTestBase {
    /** Bytes of a sparse file, enough for the test to kill Jenkins during the transfer. */
    private static final long SIZE = 8L << 30;

    @Test
    void killedFetchLeavesNoPartialFileAndNextBuildSucceeds() throws Throwable {
        InboundTransport.startBoth(jenkins, agents);
        Path workspace = Path.of(jenkins.runRemotely(FetchAcrossRestartTest::startFetch));
        Path large = workspace.resolve("large");
        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> Files.exists(large));

        jenkins.stopJenkinsForcibly();
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !Files.exists(large));
        assertEquals("of before", Files.readString(workspace.resolve("small")));
        assertEquals(Set.of("small"), FileTrees.describe(workspace).keySet());

        // the agent reconnects by itself
        jenkins.startJenkins();
        jenkins.runRemotely(FetchAcrossRestartTest::fetchAgain);
        assertEquals("fetched", Files.readString(workspace.resolve("small")));
        assertEquals(1_000, Files.size(workspace.resolve("large")));
        agents.stop(jenkins, "remote");
        jenkins.stopJenkins();
    }

    private static Path archive(FreeStyleProject source) {
        return Path.of(source.getBuildByNumber(1).getArtifactManager().root().toURI());
    }

    private static void length(Path file, long length) throws Exception {
        try (RandomAccessFile content = new RandomAccessFile(file.toFile(), "rw")) {
            content.setLength(length);
        }
    }

    /** Returns the path of the workspace. */
    private static String startFetch(JenkinsRule r) throws Throwable {
        Archiving.configure();
        FreeStyleProject source = r.createFreeStyleProject("source");
        r.buildAndAssertSuccess(source);
        Path archive = Files.createDirectories(archive(source));
        Files.writeString(archive.resolve("small"), "fetched");
        length(archive.resolve("large"), SIZE);
        WorkflowJob job = r.createProject(WorkflowJob.class, "job");
        job.setDefinition(new CpsFlowDefinition("node('remote') { fetchArtifacts 'source' }", true));
        Path workspace =
                Path.of(r.jenkins.getNode("remote").getWorkspaceFor(job).getRemote());
        Files.createDirectories(workspace);
        Files.writeString(workspace.resolve("small"), "of before");
        job.scheduleBuild2(0).waitForStart();
        return workspace.toString();
    }

    private static void fetchAgain(JenkinsRule r) throws Throwable {
        WorkflowJob job = r.jenkins.getItemByFullName("job", WorkflowJob.class);
        WorkflowRun interrupted = r.waitForCompletion(job.getLastBuild());
        r.assertBuildStatus(Result.FAILURE, interrupted);
        length(
                archive(r.jenkins.getItemByFullName("source", FreeStyleProject.class))
                        .resolve("large"),
                1_000);
        WorkflowRun build = r.assertBuildStatusSuccess(job.scheduleBuild2(0));
        r.assertLogContains("Fetch source #1: 2 files, ", build);
    }
}
