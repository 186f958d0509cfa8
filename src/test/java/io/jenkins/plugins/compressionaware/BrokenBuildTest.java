package io.jenkins.plugins.compressionaware;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Result;
import hudson.model.Run;
import hudson.model.Slave;
import hudson.model.StreamBuildListener;
import hudson.tasks.ArtifactArchiver;
import hudson.util.RemotingDiagnostics;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.testkit.Trees;
import io.jenkins.plugins.compressionaware.testkit.jenkins.Agents;
import io.jenkins.plugins.compressionaware.testkit.jenkins.HeardTransfers;
import io.jenkins.plugins.compressionaware.testkit.jenkins.OnJenkins;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import jenkins.model.ArtifactManagerConfiguration;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule;

/** What is archived already stays as it is, and nothing is left behind, when a build ends in the middle of a transfer. */
class BrokenBuildTest extends OnJenkins {
    /** A sparse file that would take minutes; nobody waits for its end. */
    private static final long HUGE = 200L << 30;

    private Slave agent;
    private FreeStyleProject job;

    @BeforeEach
    void startAgent() throws Exception {
        var factory = new CompressionAwareArtifactManagerFactory();
        factory.setCodec("zstd");
        ArtifactManagerConfiguration.get().getArtifactManagerFactories().add(factory);
        agent = Agents.TCP.start(agents, r);
        job = r.createFreeStyleProject();
        job.setAssignedNode(agent);
        agent.getWorkspaceFor(job).child("small").write("small", "UTF-8");
        job.getPublishersList().add(new ArtifactArchiver("small"));
        job.getPublishersList().add(new ArtifactArchiver("huge,small"));
    }

    @Test
    void theAgentIsLost() throws Exception {
        FreeStyleBuild build = startTransfer();
        agents.stop(agent.getNodeName());
        r.assertBuildStatus(Result.FAILURE, r.waitForCompletion(build));
        assertOnlyTheFirstArchive(build);
    }

    @Test
    void theBuildIsAborted() throws Exception {
        agent.setLabelString("remote");
        WorkflowJob pipeline = r.createProject(WorkflowJob.class);
        String workspace = agent.getWorkspaceFor(job).getRemote();
        pipeline.setDefinition(new CpsFlowDefinition(
                "node('remote') { ws('" + workspace
                        + "') { archiveArtifacts 'small'; archiveArtifacts 'huge,small' } }",
                true));
        makeHugeFile();
        HeardTransfers heard = HeardTransfers.listen();
        WorkflowRun build = pipeline.scheduleBuild2(0).waitForStart();
        awaitTransfer(build);
        build.doStop();
        r.assertBuildStatus(Result.ABORTED, r.waitForCompletion(build));
        assertOnlyTheFirstArchive(build);
        assertEquals(2, heard.started.size());
        assertEquals(1, heard.completed.size());
        // Pipeline does not wait for a step that it has aborted
        await().atMost(Duration.ofMinutes(1)).until(() -> !heard.failed.isEmpty());
        TransferResult aborted = heard.failed.get(0);
        assertEquals(TransferResult.Outcome.ABORTED, aborted.outcome);
        assertTrue(aborted.wireBytes > 0);
        await().atMost(Duration.ofMinutes(1))
                .until(() -> threadsOfAgent().noneMatch(t -> t.contains("artifact transfer")));
    }

    /** In a freestyle job: in a Pipeline the log may be closed before the aborted step has said anything. */
    @Test
    void anAbortedTransferSaysHowFarItGot() throws Exception {
        FreeStyleBuild build = startTransfer();
        await().atMost(Duration.ofMinutes(1))
                .until(() -> JenkinsRule.getLog(build).contains("Artifacts so far: "));
        build.doStop();
        // core says FAILURE for an abort within a post-build action
        r.waitForCompletion(build);
        String log = JenkinsRule.getLog(build);
        Pattern soFar =
                Pattern.compile("Artifacts so far: [0-9.]+ [MG]B raw, [0-9.]+ [kMG]?B wire, zstd, [0-9.]+ MB/s");
        assertTrue(soFar.matcher(log).find(), log);
        Pattern ended = Pattern.compile(
                "Artifacts: ended after [0-9.]+ s with [0-9.]+ [MG]B raw, [0-9.]+ [kMG]?B wire; it wa(s|ited) ");
        assertTrue(ended.matcher(log).find(), log);
    }

    @Test
    void theFileCannotBeRead() throws Exception {
        job.getPublishersList().replace(new ArtifactArchiver("small"));
        FreeStyleBuild build = r.buildAndAssertSuccess(job);
        var manager = new CompressionAwareArtifactManager(build);
        Map<String, String> before = Trees.describe(buildDir(build));
        HeardTransfers heard = HeardTransfers.listen();
        var failure = assertThrows(
                IOException.class,
                () -> manager.archive(
                        agent.getWorkspaceFor(job),
                        r.createLocalLauncher(),
                        new StreamBuildListener(System.out, StandardCharsets.UTF_8),
                        Map.of("there", "small", "name", "gone/file")));
        assertTrue(failure.getMessage().contains("gone/file"), failure.getMessage());
        assertEquals(before, Trees.describe(buildDir(build)));
        assertEquals(failure, heard.failures.get(0));
        assertEquals(List.of(), heard.completed);
    }

    private FreeStyleBuild startTransfer() throws Exception {
        makeHugeFile();
        FreeStyleBuild build = job.scheduleBuild2(0).waitForStart();
        awaitTransfer(build);
        return build;
    }

    private void makeHugeFile() throws Exception {
        Path huge = Path.of(agent.getWorkspaceFor(job).child("huge").getRemote());
        try (RandomAccessFile file = new RandomAccessFile(huge.toFile(), "rw")) {
            file.setLength(HUGE);
        }
    }

    private static void awaitTransfer(Run<?, ?> build) {
        await().atMost(Duration.ofMinutes(1)).until(() -> bytesArrived(build) > 10_000_000);
    }

    private static long bytesArrived(Run<?, ?> build) throws Exception {
        try (Stream<Path> files = Files.walk(buildDir(build))) {
            return files.filter(file -> file.endsWith("huge"))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }

    private static void assertOnlyTheFirstArchive(Run<?, ?> build) throws Exception {
        try (Stream<Path> children = Files.list(buildDir(build))) {
            assertTrue(
                    children.noneMatch(child -> child.getFileName().toString().startsWith(".")), "no litter");
        }
        assertEquals(1, Trees.describe(buildDir(build).resolve("archive")).size());
        assertEquals("small", Files.readString(buildDir(build).resolve("archive/small")));
    }

    private static Path buildDir(Run<?, ?> build) {
        return build.getRootDir().toPath();
    }

    private Stream<String> threadsOfAgent() throws Exception {
        return RemotingDiagnostics.getThreadDump(agent.getChannel()).keySet().stream();
    }
}
