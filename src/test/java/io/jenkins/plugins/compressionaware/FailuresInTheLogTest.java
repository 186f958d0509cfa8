package io.jenkins.plugins.compressionaware;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import hudson.FilePath;
import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Result;
import hudson.model.Run;
import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.report.BuildTransfersAction;
import io.jenkins.plugins.compressionaware.testing.Command;
import io.jenkins.plugins.compressionaware.testing.SparseFile;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.jvnet.hudson.test.JenkinsRule;

/** Tests that a failure on which a user can act is one line of the build log, without a stack trace. */
@Timeout(120)
class FailuresInTheLogTest extends JenkinsTestBase {
    /** Bytes of a sparse file whose transfer would need minutes. */
    private static final long HUGE = 200L << 30;

    /** With bootstrap calls, then with the engine. The FIFO has no writer, so opening it would block. */
    @ParameterizedTest
    @ValueSource(strings = {"auto", "zstd"})
    void fifoFailsPipelineWithOneLine(String codec) throws Exception {
        factory.setCodec(codec);
        usePlugin();
        Slave agent = InboundTransport.TCP.start(agents, r);
        for (String step : List.of("archiveArtifacts '*'", "stash 's'")) {
            WorkflowJob job = pipeline("node('" + agent.getNodeName()
                    + "') { sh 'rm -f p; mkfifo p; echo x > f'; try { " + step + " } finally { sh 'rm p' } }");
            assertOneLine("p: it is neither a file nor a folder", r.buildAndAssertStatus(Result.FAILURE, job));
        }
    }

    @Test
    void fifoFailsFreestyleJobWithOneLine() throws Exception {
        usePlugin();
        Slave agent = InboundTransport.TCP.start(agents, r);
        FreeStyleProject job = archiving(agent);
        assumeTrue(Command.works("mkfifo", workspaceOf(agent, job).resolve("p").toString()), "Untested: no FIFO here");
        assertOneLine("p: it is neither a file nor a folder", r.buildAndAssertStatus(Result.FAILURE, job));
        // the test harness opens the files of the folder to delete it
        Files.delete(workspaceOf(agent, job).resolve("p"));
    }

    private static void assertOneLine(String reason, Run<?, ?> build) throws Exception {
        String log = JenkinsRule.getLog(build);
        assertEquals(
                1,
                log.lines().filter(line -> line.contains(reason + " (https://")).count(),
                log);
        assertFalse(log.contains("\tat "), log);
    }

    /** A Maven module archives after its end, for example. */
    @Test
    void transferAfterBuildEndIsSaved() throws Exception {
        usePlugin();
        Slave agent = InboundTransport.TCP.start(agents, r);
        FreeStyleBuild build = r.buildAndAssertSuccess(r.createFreeStyleProject());
        FilePath workspace = agent.getRootPath().child("module");
        workspace.child("a.jar").write("1", "UTF-8");
        new CompressionAwareArtifactManager(build)
                .archive(workspace, agent.createLauncher(QUIET), null, Map.of("a.jar", "a.jar"));
        Path saved = build.getRootDir().toPath().resolve("build.xml");
        await().atMost(Duration.ofSeconds(30))
                .until(() -> Files.readString(saved).contains(BuildTransfersAction.class.getSimpleName()));
    }

    /** {@code FaultMatrixTest} covers all else of an abort. A Pipeline's log can be closed before the aborted step writes to it. */
    @Test
    void abortedTransferLogsItsProgress() throws Exception {
        factory.setCodec("zstd");
        usePlugin();
        Slave agent = InboundTransport.TCP.start(agents, r);
        FreeStyleProject job = archiving(agent);
        SparseFile.ofLength(workspaceOf(agent, job).resolve("huge"), HUGE);
        FreeStyleBuild build = job.scheduleBuild2(0).waitForStart();
        await().atMost(Duration.ofMinutes(1))
                .until(() -> JenkinsRule.getLog(build).contains("Artifacts so far: "));
        build.doStop();
        // core sets FAILURE for an abort within a post-build action
        r.waitForCompletion(build);
        String log = JenkinsRule.getLog(build);
        Pattern soFar = Pattern.compile("Artifacts so far: [0-9.]+ [MG]B, [0-9.]+ [kMG]?B received, [0-9,.]+ MB/s");
        assertTrue(soFar.matcher(log).find(), log);
        Pattern ended = Pattern.compile("Artifacts: stopped after [0-9.]+ s at [0-9.]+ [MG]B; was waiting for ");
        assertTrue(ended.matcher(log).find(), log);
        assertFalse(log.contains("\tat "), log);
    }
}
