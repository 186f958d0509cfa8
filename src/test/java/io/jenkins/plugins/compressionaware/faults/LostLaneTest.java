package io.jenkins.plugins.compressionaware.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.FreeStyleProject;
import hudson.model.Result;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.testing.CuttingProxy;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import jenkins.model.JenkinsLocationConfiguration;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.junit.jupiter.InboundAgentExtension;

/**
 * The connections of direct HTTP transfer are cut, for a second or for ever, but the agent stays connected: the transfer continues, and nothing waits for the
 * agent.
 */
@Timeout(3600)
class LostLaneTest extends ReconnectTestBase {
    private static final long BEFORE_CUT = 3_000_000;

    /** Enough that a busy machine has opened the direct lanes before all have been sent over the agent's connection. */
    private static final int FILES = 150;

    /**
     * @param files folder with the files to transfer
     * @param result folder with the result; null for the archive
     */
    private record Case(WorkflowJob job, Path files, Path result) {}

    private interface Preparation {
        Case of(CutTransfer cut) throws Exception;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void archive(boolean forEver) throws Exception {
        run(forEver, cut -> new Case(job(cut, "archiveArtifacts '**'"), cut.from, null));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void stash(boolean forEver) throws Exception {
        run(forEver, cut -> stashed(cut, cut.name, "built-in"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void unstash(boolean forEver) throws Exception {
        run(forEver, cut -> stashed(cut, "built-in", cut.name));
    }

    private Case stashed(CutTransfer cut, String from, String to) throws Exception {
        WorkflowJob job = pipeline("""
                node('%s') { ws('%s') { stash 's' } }
                node('%s') { ws('%s') { unstash 's' } }
                """.formatted(from, cut.from, to, cut.to));
        return new Case(job, cut.from, cut.to);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void fetch(boolean forEver) throws Exception {
        run(forEver, cut -> {
            FreeStyleProject source = cut.sourceOf("source");
            WorkflowJob job =
                    pipeline("node('%s') { ws('%s') { fetchArtifacts 'source' } }".formatted(cut.name, cut.to));
            return new Case(job, archiveOf(source.getLastBuild()), cut.to);
        });
    }

    private void run(boolean forEver, Preparation test) throws Exception {
        usePlugin();
        r.jenkins.setNumExecutors(1);
        factory.setReconnectSeconds(900);
        factory.setCodec("none");
        factory.setDirectHttp("auto");
        try (CuttingProxy proxy = new CuttingProxy(r.getURL().getPort(), CutTransfer.RATE / 2);
                CutTransfer cut = new CutTransfer(
                        r, agents, InboundTransport.TCP, "agent", folder.resolve("case"), CutTransfer.RATE)) {
            // the only address that the new process knows, besides its tunnel
            JenkinsLocationConfiguration.get().setUrl("http://127.0.0.1:" + proxy.port() + r.contextPath + "/");
            agents.start(
                    r,
                    InboundAgentExtension.Options.newBuilder()
                            .name(cut.name)
                            .tunnel("127.0.0.1:" + cut.proxy.port())
                            .build());
            Case prepared = test.of(cut);
            CutTransfer.fill(prepared.files, FILES, 400_000);
            assertContinues(cut, proxy, forEver, prepared);
        }
    }

    private static String logOf(WorkflowRun build) {
        try {
            return JenkinsRule.getLog(build);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** @param forEver whether no connection is accepted after the cut */
    private void assertContinues(CutTransfer cut, CuttingProxy lanes, boolean forEver, Case test) throws Exception {
        VirtualChannel channel = cut.agent.getChannel();
        WorkflowRun build = test.job.scheduleBuild2(0).waitForStart();
        await().pollInterval(Duration.ofMillis(10)).atMost(CutTransfer.TIMEOUT).until(() -> {
            assertTrue(build.isBuilding(), () -> "the build has ended too early: " + logOf(build));
            return CutTransfer.running(build) != null
                    && CutTransfer.running(build).directBytes() > BEFORE_CUT;
        });
        lanes.cut();
        if (!forEver) {
            Thread.sleep(1000);
            lanes.restore();
        }
        r.assertBuildStatus(Result.SUCCESS, CutTransfer.end(build));
        Path result = test.result == null ? archiveOf(build) : test.result;
        assertEquals(FileTrees.describe(test.files), FileTrees.describe(result));
        String log = JenkinsRule.getLog(build);
        assertTrue(log.contains("; direct HTTP "), log);
        for (String other : new String[] {"was lost after", "interrupted", "\tat "}) {
            assertFalse(log.contains(other), log);
        }
        assertSame(channel, cut.agent.getChannel());
        cut.assertNothingRemains(test.job);
    }
}
