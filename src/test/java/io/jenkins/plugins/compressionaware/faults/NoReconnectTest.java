package io.jenkins.plugins.compressionaware.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.FreeStyleProject;
import hudson.model.Result;
import hudson.model.Run;
import hudson.slaves.OfflineCause;
import hudson.tasks.ArtifactArchiver;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import jenkins.model.Jenkins;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.jvnet.hudson.test.JenkinsRule;

/**
 * The connection to an agent is cut during a transfer, and the transfer cannot continue: the step fails, as soon as that is known, and nothing is there.
 * {@code -Dfaults=REGEX} selects cases.
 */
@Timeout(7200)
class NoReconnectTest extends ReconnectTestBase {
    private static final String LOST = "the connection to the agent was lost";
    private static final String WAITING = "was lost after";

    @TestFactory
    Stream<DynamicTest> cases() {
        usePlugin();
        return Stream.of(
                        newCase("setting 0", InboundTransport.TCP, this::settingZero),
                        newCase("for ever", InboundTransport.WEBSOCKET, this::forEver),
                        newCase("disconnected by a person", InboundTransport.TCP, this::disconnected),
                        newCase("disconnected while it waits", InboundTransport.TCP, this::disconnectedWhileWaiting),
                        newCase("removed", InboundTransport.TCP, this::removed),
                        newCase("removed while it waits", InboundTransport.WEBSOCKET, this::removedWhileWaiting),
                        newCase("aborted while it waits", InboundTransport.TCP, this::aborted),
                        newCase("aborted freestyle build", InboundTransport.TCP, this::abortedFreestyle),
                        newCase("timeout of the step", InboundTransport.WEBSOCKET, this::timeout),
                        newCase("Jenkins stops", InboundTransport.TCP, this::jenkinsStops),
                        newCase("workspace is gone", InboundTransport.TCP, this::workspaceGone),
                        newCase("another empty workspace", InboundTransport.WEBSOCKET, this::emptyWorkspace),
                        newCase("stash of another empty workspace", InboundTransport.TCP, this::stashOfEmptyWorkspace),
                        newCase("retry on another agent", InboundTransport.WEBSOCKET, this::retry))
                .filter(test -> test.getDisplayName().matches(System.getProperty("faults", ".*")));
    }

    private DynamicTest newCase(String name, InboundTransport transport, Case test) {
        return newCase(name, transport, CutTransfer.RATE, cut -> {
            CutTransfer.fill(cut.from, 40, 400_000);
            test.run(cut);
        });
    }

    private WorkflowRun sending(CutTransfer cut, String steps) throws Exception {
        WorkflowRun build = start(cut, steps);
        cut.awaitBytes(build, 0, 5_000_000);
        return build;
    }

    private WorkflowRun waiting(CutTransfer cut, String steps) throws Exception {
        WorkflowRun build = sending(cut, steps);
        cut.proxy.cut();
        cut.awaitWaiting(build);
        return build;
    }

    /** Asserts that a build ends soon, with this result and nothing archived. */
    private void assertFailed(CutTransfer cut, Run<?, ?> build, Result result, boolean waited) throws Exception {
        long start = System.nanoTime();
        CutTransfer.end(build);
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
        assertTrue(seconds < LONG / 2, seconds + " s");
        r.assertBuildStatus(result, build);
        String log = JenkinsRule.getLog(build);
        assertEquals(waited ? 1 : 0, CutTransfer.count(build, WAITING), log);
        assertFalse(log.contains("\tat "), log);
        assertEquals(Map.of(), FileTrees.describe(archiveOf(build)));
        cut.assertNothingRemains(build.getParent());
    }

    private void assertLost(CutTransfer cut, Run<?, ?> build, boolean waited) throws Exception {
        assertFailed(cut, build, Result.FAILURE, waited);
        r.assertLogContains(LOST, build);
    }

    private void settingZero(CutTransfer cut) throws Exception {
        factory.setReconnectSeconds(0);
        WorkflowRun build = start(cut, "archiveArtifacts '**'");
        await().atMost(CutTransfer.TIMEOUT)
                .until(() -> CutTransfer.running(build) != null
                        && CutTransfer.running(build).channelBytes() > 5_000_000);
        cut.proxy.cut();
        assertLost(cut, build, false);
    }

    private void forEver(CutTransfer cut) throws Exception {
        factory.setReconnectSeconds(5);
        WorkflowRun build = waiting(cut, "archiveArtifacts '**'");
        assertLost(cut, build, true);
        r.assertLogContains("Waiting up to 5 s for the agent to connect again.", build);
    }

    private void disconnected(CutTransfer cut) throws Exception {
        WorkflowRun build = sending(cut, "archiveArtifacts '**'");
        cut.agent.toComputer().disconnect(new OfflineCause.UserCause(null, "maintenance"));
        assertLost(cut, build, false);
    }

    private void disconnectedWhileWaiting(CutTransfer cut) throws Exception {
        WorkflowRun build = waiting(cut, "archiveArtifacts '**'");
        cut.proxy.restore(); // the agent would connect again
        cut.agent.toComputer().disconnect(new OfflineCause.ByCLI("maintenance"));
        assertLost(cut, build, true);
    }

    private void removed(CutTransfer cut) throws Exception {
        WorkflowRun build = sending(cut, "archiveArtifacts '**'");
        r.jenkins.removeNode(cut.agent);
        assertFailed(cut, build, Result.FAILURE, false);
    }

    private void removedWhileWaiting(CutTransfer cut) throws Exception {
        WorkflowRun build = waiting(cut, "archiveArtifacts '**'");
        r.jenkins.removeNode(cut.agent);
        assertFailed(cut, build, Result.FAILURE, true);
    }

    private void aborted(CutTransfer cut) throws Exception {
        WorkflowRun build = waiting(cut, "archiveArtifacts '**'");
        build.doStop();
        assertFailed(cut, build, Result.ABORTED, true);
    }

    private void abortedFreestyle(CutTransfer cut) throws Exception {
        FreeStyleProject job = r.createFreeStyleProject();
        job.setAssignedNode(cut.agent);
        job.setCustomWorkspace(cut.from.toString());
        job.getPublishersList().add(new ArtifactArchiver("**"));
        Run<?, ?> build = job.scheduleBuild2(0).waitForStart();
        cut.awaitBytes(build, 0, 5_000_000);
        cut.proxy.cut();
        cut.awaitWaiting(build);
        build.getExecutor().interrupt();
        CutTransfer.end(build);
        assertEquals(Map.of(), FileTrees.describe(archiveOf(build)));
        cut.assertNothingRemains(job);
    }

    private void timeout(CutTransfer cut) throws Exception {
        WorkflowRun build = waiting(cut, "timeout(time: 20, unit: 'SECONDS') { archiveArtifacts '**' }");
        assertFailed(cut, build, Result.ABORTED, true);
    }

    private void jenkinsStops(CutTransfer cut) throws Exception {
        WorkflowRun build = waiting(cut, "archiveArtifacts '**'");
        Field terminating = Jenkins.class.getDeclaredField("terminating");
        terminating.setAccessible(true);
        terminating.set(r.jenkins, true);
        try {
            assertLost(cut, build, true);
        } finally {
            terminating.set(r.jenkins, false);
        }
    }

    private void workspaceGone(CutTransfer cut) throws Exception {
        WorkflowRun build = waiting(cut, "archiveArtifacts '**'");
        FileTrees.delete(cut.from);
        cut.proxy.restore();
        assertLost(cut, build, true);
        r.assertLogContains("has connected again, but " + cut.from + " is missing there", build);
    }

    /** Replaces the agent by one of the same name with an empty folder at the same path. */
    private void replaceAgent(CutTransfer cut, Run<?, ?> build) throws Exception {
        cut.kill();
        cut.awaitWaiting(build);
        FileTrees.delete(cut.from);
        Files.createDirectory(cut.from);
        cut.startAgain();
    }

    private void emptyWorkspace(CutTransfer cut) throws Exception {
        WorkflowRun build = sending(cut, "archiveArtifacts '**'");
        replaceAgent(cut, build);
        assertLost(cut, build, true);
        r.assertLogContains("is another folder", build);
    }

    /** Patterns would find no files there, and make an empty stash. */
    private void stashOfEmptyWorkspace(CutTransfer cut) throws Exception {
        WorkflowRun build = sending(cut, "stash name: 's', allowEmpty: true");
        replaceAgent(cut, build);
        assertLost(cut, build, true);
        assertEquals(List.of(), FileTrees.list(build.getRootDir().toPath().resolve("stashes")));
    }

    /** Pipeline recognizes the failure. */
    private void retry(CutTransfer cut) throws Exception {
        factory.setReconnectSeconds(2);
        r.jenkins.setNumExecutors(1);
        WorkflowJob job = pipeline("""
            int attempt = 0
            retry(count: 2, conditions: [agent()]) {
                node(attempt++ == 0 ? '%s' : 'built-in') { ws('%s') { archiveArtifacts '**' } }
            }
            """.formatted(cut.name, cut.from));
        WorkflowRun build = job.scheduleBuild2(0).waitForStart();
        cut.awaitBytes(build, 0, 5_000_000);
        cut.proxy.cut();
        r.assertBuildStatus(Result.SUCCESS, CutTransfer.end(build));
        assertEquals(1, CutTransfer.count(build, WAITING));
        assertEquals(FileTrees.describe(cut.from), FileTrees.describe(archiveOf(build)));
        await().atMost(Duration.ofMinutes(1))
                .until(() -> r.jenkins.getComputer("").countBusy() == 0);
    }
}
