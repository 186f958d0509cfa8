package io.jenkins.plugins.compressionaware.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.model.Result;
import io.jenkins.plugins.compressionaware.testing.SparseFile;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.core.ConditionFactory;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.jvnet.hudson.test.JenkinsRule;

/** Two builds unstash a file of the same name into one folder, and the build that began is aborted. The other build's file stays, as with Jenkins itself. */
@Timeout(600)
class SharedFolderTest extends JenkinsTestBase {
    private static final int LENGTH = 150_000_000;

    @TempDir
    private Path tmp;

    private Path to;

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofMinutes(2)).pollInterval(Duration.ofMillis(1));
    }

    /** Starts a build that stashes a file {@code common}, and unstashes it as soon as another file exists. */
    private WorkflowRun start(AgentProcess agent, int length, Path trigger) throws Exception {
        Path from = Files.createDirectory(tmp.resolve("from" + length));
        SparseFile.ofLength(from.resolve("common"), length);
        WorkflowRun build = pipeline("""
            node('%s') {
                ws('%s') { stash 'x' }
                ws('%s') {
                    while (!fileExists('%s')) { sleep time: 10, unit: 'MILLISECONDS' }
                    unstash 'x'
                }
            }
            """.formatted(agent.name(), from, to, trigger))
                .scheduleBuild2(0)
                .waitForStart();
        soon().until(() -> JenkinsRule.getLog(build).contains("Stashed 1 file(s)"));
        return build;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void abortedBuildDeletesNoFileOfTheOther(boolean plugin) throws Exception {
        if (plugin) {
            usePlugin();
            factory.setCodec("none");
        }
        to = Files.createDirectory(tmp.resolve("to"));
        AgentProcess first = new AgentProcess(InboundTransport.TCP, r, agents);
        AgentProcess second = new AgentProcess(InboundTransport.WEBSOCKET, r, agents);
        Path common = to.resolve("common");
        WorkflowRun other = start(second, LENGTH + 1, common);
        WorkflowRun aborted = start(first, LENGTH, tmp.resolve("go"));

        Files.createFile(tmp.resolve("go"));
        soon().until(() -> Files.exists(common) && Files.size(common) > 0);
        first.signal("STOP"); // so that it is in the middle of the file when the other build has completed it
        r.waitForCompletion(other);
        aborted.doStop();
        first.signal("CONT");
        r.assertBuildStatus(Result.ABORTED, r.waitForCompletion(aborted));
        r.assertBuildStatusSuccess(r.waitForCompletion(other));
        soon().until(() -> first.files().noneMatch(common.toString()::equals));
        assertEquals(LENGTH + 1, Files.size(common));
    }
}
