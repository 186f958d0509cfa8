package io.jenkins.plugins.compressionaware.stash;

import static io.jenkins.plugins.compressionaware.testing.FileTrees.list;
import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.model.Result;
import io.jenkins.plugins.compressionaware.testing.MountedFileSystem;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests a fresh agent whose disk is full. {@code FaultMatrixTest} covers other agents. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class FullAgentDiskTest extends JenkinsTestBase {
    @TempDir
    private Path tmp;

    @BeforeEach
    void start() throws Exception {
        usePlugin();
    }

    /** The stash is small enough for one bootstrap call. */
    @Test
    void unstashOnFreshAgentFailsOnFullDisk() throws Exception {
        InboundTransport.WEBSOCKET.startNamed("first", agents, r).setLabelString("here");
        InboundTransport.WEBSOCKET.startNamed("fresh", agents, r);
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        Files.write(workspace.resolve("zeros"), new byte[1_200_000]);
        try (MountedFileSystem disk = MountedFileSystem.small(tmp.resolve("disk"), 1)) {
            WorkflowJob job = pipeline("node('here') { ws('" + workspace + "') { stash 'x' } }\n"
                    + "node('fresh') { ws('" + disk.folder() + "') { unstash 'x' } }");
            WorkflowRun build = r.buildAndAssertStatus(Result.FAILURE, job);
            r.assertLogContains("Cannot write zeros: No space left on device", build);
            assertEquals(List.of(), list(disk.folder()));
        }
    }
}
