package io.jenkins.plugins.compressionaware.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.Result;
import io.jenkins.plugins.compressionaware.agent.DownloadCallable;
import io.jenkins.plugins.compressionaware.agent.WorkspaceIdentityCallable;
import io.jenkins.plugins.compressionaware.engine.tar.TarPacker;
import io.jenkins.plugins.compressionaware.testing.EmptyClass;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.junit.jupiter.InboundAgentExtension;

/**
 * An agent is started anew in the middle of a transfer, with other versions of the plugin's classes on its class path: the step fails at once. A controller
 * cannot have other versions, because a new plugin needs a restart, which ends the transfer.
 */
@Timeout(3600)
class OtherClassesTest extends ReconnectTestBase {
    private interface Start {
        WorkflowRun of(CutTransfer cut) throws Exception;
    }

    private interface End {
        void of(CutTransfer cut, WorkflowRun build) throws Exception;
    }

    /** The engine cannot be linked, so Jenkins itself would archive, but over the lost connection. */
    @Test
    void archiveFails() throws Exception {
        assertFails(TarPacker.class, this::archiving, (cut, build) -> {
            assertEquals(Map.of(), FileTrees.describe(archiveOf(build)));
        });
    }

    /** The workspace cannot be identified. */
    @Test
    void archiveFailsWithoutIdentity() throws Exception {
        assertFails(WorkspaceIdentityCallable.class, this::archiving, (cut, build) -> {
            assertEquals(Map.of(), FileTrees.describe(archiveOf(build)));
            r.assertLogContains("the connection to the agent was lost", build);
        });
    }

    @Test
    void stashFails() throws Exception {
        Start stash = cut -> {
            CutTransfer.fill(cut.from, 40, 400_000);
            return job(cut, "stash 's'").scheduleBuild2(0).waitForStart();
        };
        assertFails(
                TarPacker.class,
                stash,
                (cut, build) -> assertEquals(
                        List.of(), FileTrees.list(build.getRootDir().toPath().resolve("stashes"))));
    }

    @Test
    void unstashFails() throws Exception {
        assertFails(
                DownloadCallable.class,
                cut -> unstashing(cut, 40),
                (cut, build) -> r.assertLogContains("could not be unpacked", build));
    }

    private void assertFails(Class<?> other, Start start, End end) throws Exception {
        usePlugin();
        try (CutTransfer cut = connect("agent", InboundTransport.TCP, CutTransfer.RATE)) {
            WorkflowRun build = start.of(cut);
            cut.awaitBytes(build, 0, 5_000_000);
            cut.kill();
            cut.awaitWaiting(build);
            agents.start(
                    r,
                    InboundAgentExtension.Options.newBuilder()
                            .name(cut.name)
                            .tunnel("127.0.0.1:" + cut.proxy.port())
                            .javaOptions(EmptyClass.preferredTo(other, folder))
                            .build());
            long since = System.nanoTime();
            r.assertBuildStatus(Result.FAILURE, CutTransfer.end(build));
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - since);
            assertTrue(seconds < LONG / 2, seconds + " s");
            String log = JenkinsRule.getLog(build);
            assertEquals(1, CutTransfer.count(build, "was lost after"), log);
            assertFalse(log.contains("\tat "), log);
            end.of(cut, build);
            cut.assertNothingRemains(build.getParent());
        }
    }
}
