package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.testing.jenkins.Archiving;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.RealJenkinsTestBase;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule;

/** Kills the controller's process during a transfer. */
class StartupCleanupTest extends RealJenkinsTestBase {
    /** Size of a sparse file, bytes: large enough to see its transfer run. */
    private static final long SIZE = 8L << 30;

    @Test
    void nextStartDeletesStagedFiles() throws Throwable {
        InboundTransport.startBoth(jenkins, agents);
        jenkins.runRemotely(StartupCleanupTest::startTransfer);
        Path build = jenkins.getHome().toPath().resolve("jobs/job/builds/1");
        Path journal = jenkins.getHome().toPath().resolve("compression-aware-artifacts/journal");
        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> staged(build).size() == 1);
        jenkins.stopJenkinsForcibly();
        agents.stop("remote");
        assertEquals(1, list(journal).size());
        assertEquals(1, staged(build).size());
        Path other = Files.createDirectory(build.resolve(".somebody-else's.partial"));

        jenkins.startJenkins();
        // the cleanup of the first 15 minutes after a start
        jenkins.runRemotely(StartupCleanupTest::cleanUpAnHour);
        assertEquals(2, staged(build).size(), "the other process may be alive");
        jenkins.runRemotely(StartupCleanupTest::cleanUpAll);
        assertEquals(List.of(), list(journal));
        assertEquals(List.of(other), staged(build));
        jenkins.stopJenkins();
    }

    private static void cleanUpAnHour(JenkinsRule r) {
        StartupCleanup.journal().deleteAbandoned(TimeUnit.HOURS.toMillis(1));
    }

    private static void cleanUpAll(JenkinsRule r) {
        StartupCleanup.journal().deleteAbandoned(0);
    }

    private static void startTransfer(JenkinsRule r) throws Throwable {
        Archiving.configure();
        WorkflowJob job = r.createProject(WorkflowJob.class, "job");
        job.setDefinition(new CpsFlowDefinition("node('remote') { archiveArtifacts '**' }", true));
        Path workspace =
                Path.of(r.jenkins.getNode("remote").getWorkspaceFor(job).getRemote());
        Files.createDirectories(workspace);
        try (RandomAccessFile file =
                new RandomAccessFile(workspace.resolve("file").toFile(), "rw")) {
            file.setLength(SIZE);
        }
        job.scheduleBuild2(0).waitForStart();
    }

    private static List<Path> staged(Path build) throws IOException {
        return list(build).stream()
                .filter(path -> path.getFileName().toString().matches("\\..*\\.partial"))
                .toList();
    }

    private static List<Path> list(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> children = Files.list(folder)) {
            return children.toList();
        }
    }
}
