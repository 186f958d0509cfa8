package io.jenkins.plugins.compressionaware.directlane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Result;
import hudson.model.Slave;
import hudson.security.FullControlOnceLoggedInAuthorizationStrategy;
import hudson.security.HudsonPrivateSecurityRealm;
import io.jenkins.plugins.compressionaware.testing.FaultyHttpProxy;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.regex.Pattern;
import jenkins.model.JenkinsLocationConfiguration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.jvnet.hudson.test.JenkinsRule;

/** Agents in separate processes send frames to the Jenkins URL if they can reach it. If not, builds succeed over the channel. */
class DirectLaneTest extends JenkinsTestBase {
    /** Three connections, or as many as streams if a call takes long on a busy machine. */
    private static final Pattern OVER_REQUESTS = Pattern.compile("; direct HTTP \\d");

    private static final String FAILURE = "Direct HTTP transfer failed, so the agent connection was used.";

    @BeforeEach
    void configure() {
        factory.setCodec("none");
        factory.setDelta("off"); // a transfer whose lane fails looks slow, so the next one would reuse content
        usePlugin();
    }

    private FreeStyleProject job(Slave agent) throws Exception {
        return job(agent, 60_000_000);
    }

    private FreeStyleProject job(Slave agent, int size) throws Exception {
        FreeStyleProject job = archiving(agent);
        Path workspace = workspaceOf(agent, job);
        writeNoise(workspace.resolve("noise"), size);
        Files.writeString(workspace.resolve("small"), "small");
        return job;
    }

    /** Writes in chunks, because the heap of the tests is too small for one array. */
    private static void writeNoise(Path file, int size) throws IOException {
        Random random = new Random(size);
        byte[] chunk = new byte[100_000];
        try (OutputStream out = Files.newOutputStream(file)) {
            for (int left = size; left > 0; left -= chunk.length) {
                random.nextBytes(chunk);
                out.write(chunk, 0, Math.min(chunk.length, left));
            }
        }
    }

    /** Starts an agent that knows only the configured URL of this Jenkins. */
    private Slave agentBehind(String rootUrl) throws Exception {
        JenkinsLocationConfiguration.get().setUrl(rootUrl);
        return r.createOnlineSlave();
    }

    private String rootUrl(int port) {
        return "http://127.0.0.1:" + port + r.contextPath + "/";
    }

    private void assertSame(FreeStyleProject job, FreeStyleBuild build) throws Exception {
        Path workspace = Path.of(job.getAssignedLabel()
                .getNodes()
                .iterator()
                .next()
                .getWorkspaceFor(job)
                .getRemote());
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(archiveOf(build)));
    }

    private String archive(FreeStyleProject job) throws Exception {
        FreeStyleBuild build = r.buildAndAssertSuccess(job);
        assertSame(job, build);
        return JenkinsRule.getLog(build);
    }

    @ParameterizedTest
    @EnumSource(InboundTransport.class)
    void inboundAgentsUseDirectLane(InboundTransport transport) throws Exception {
        factory.setDirectLane("required");
        String log = archive(job(transport.start(agents, r)));
        assertTrue(
                log.contains("; direct HTTP 60.0 MB")
                        && OVER_REQUESTS.matcher(log).find(),
                log);
        assertFalse(log.contains(FAILURE), log);
    }

    @Test
    void laneNeedsNoAnonymousReadPermission() throws Exception {
        HudsonPrivateSecurityRealm realm = new HudsonPrivateSecurityRealm(false, false, null);
        realm.createAccount("admin", "admin");
        r.jenkins.setSecurityRealm(realm);
        FullControlOnceLoggedInAuthorizationStrategy strategy = new FullControlOnceLoggedInAuthorizationStrategy();
        strategy.setAllowAnonymousRead(false);
        r.jenkins.setAuthorizationStrategy(strategy);
        factory.setDirectLane("required");
        String log = archive(job(agentBehind(r.getURL().toString())));
        assertTrue(OVER_REQUESTS.matcher(log).find(), log);
    }

    @Test
    void offModeTriesNoLane() throws Exception {
        factory.setDirectLane("off");
        String log = archive(job(InboundTransport.WEBSOCKET.start(agents, r)));
        assertUntried(log);
    }

    @ParameterizedTest
    @EnumSource(
            value = FaultyHttpProxy.Fault.class,
            names = {"PROBE_UNANSWERED", "TOO_LARGE"})
    void buildSucceedsAfterFailedLane(FaultyHttpProxy.Fault fault) throws Exception {
        try (FaultyHttpProxy server = new FaultyHttpProxy(r.getURL().getPort(), fault)) {
            // must last longer than the probe, or than its time limit
            int size = fault == FaultyHttpProxy.Fault.PROBE_UNANSWERED ? 900_000_000 : 300_000_000;
            FreeStyleProject job = job(agentBehind(rootUrl(server.port())), size);
            String log = archive(job);
            assertFailureOnce(fault.reason(), log);
            int bodies = server.bodies();
            String next = archive(job);
            assertUntried(next);
            assertEquals(bodies, server.bodies());
        }
    }

    private static void assertUntried(String log) {
        assertFalse(log.contains("; direct HTTP ") || log.contains(FAILURE), log);
    }

    private static void assertFailureOnce(String reason, String log) {
        assertEquals(1, log.lines().filter(line -> line.contains(FAILURE)).count(), log);
        assertTrue(
                log.lines().anyMatch(line -> line.contains(FAILURE) && line.contains(reason)), reason + " in " + log);
    }

    @Test
    void reconnectedAgentTriesLaneAgain() throws Exception {
        Slave agent;
        FreeStyleProject job;
        try (FaultyHttpProxy server = new FaultyHttpProxy(r.getURL().getPort(), FaultyHttpProxy.Fault.DIES_HALFWAY)) {
            agent = agentBehind(rootUrl(server.port()));
            job = job(agent);
            assertFailureOnce("", archive(job));
        }
        JenkinsLocationConfiguration.get().setUrl(r.getURL().toString());
        agent.toComputer().disconnect(null).get();
        agent.toComputer().connect(true).get();
        String log = archive(job);
        assertTrue(OVER_REQUESTS.matcher(log).find(), log);
    }

    @ParameterizedTest
    @EnumSource(
            value = FaultyHttpProxy.Fault.class,
            names = {"BAD_GATEWAY", "TOO_LARGE"})
    void failedRequiredLaneFailsBuildWithReason(FaultyHttpProxy.Fault fault) throws Exception {
        factory.setDirectLane("required");
        try (FaultyHttpProxy server = new FaultyHttpProxy(r.getURL().getPort(), fault)) {
            FreeStyleBuild build = r.buildAndAssertStatus(Result.FAILURE, job(agentBehind(rootUrl(server.port()))));
            r.assertLogContains("Direct HTTP transfer is required, but failed: " + rootUrl(server.port()), build);
            r.assertLogContains(fault.reason(), build);
            assertFalse(build.getHasArtifacts());
        }
    }
}
