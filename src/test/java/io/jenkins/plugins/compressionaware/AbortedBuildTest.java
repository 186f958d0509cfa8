package io.jenkins.plugins.compressionaware;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Slave;
import hudson.tasks.ArtifactArchiver;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule;

/** Tests the build log of an aborted transfer. {@code FaultMatrixTest} covers everything else of an abort. */
class AbortedBuildTest extends JenkinsTestBase {
    /** Bytes of a sparse file whose transfer would need minutes. */
    private static final long HUGE = 200L << 30;

    private Slave agent;
    private FreeStyleProject job;

    @BeforeEach
    void startAgent() throws Exception {
        factory.setCodec("zstd");
        usePlugin();
        agent = InboundTransport.TCP.start(agents, r);
        job = r.createFreeStyleProject();
        job.setAssignedNode(agent);
        job.getPublishersList().add(new ArtifactArchiver("huge"));
    }

    /** Uses a freestyle job, because the log of a Pipeline can be closed before the aborted step writes to it. */
    @Test
    void abortedTransferLogsItsProgress() throws Exception {
        makeHugeFile();
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

    private void makeHugeFile() throws Exception {
        Path huge = workspaceOf(agent, job).resolve("huge");
        try (RandomAccessFile file = new RandomAccessFile(huge.toFile(), "rw")) {
            file.setLength(HUGE);
        }
    }
}
