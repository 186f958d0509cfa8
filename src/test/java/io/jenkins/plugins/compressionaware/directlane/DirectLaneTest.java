package io.jenkins.plugins.compressionaware.directlane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Result;
import hudson.model.Slave;
import hudson.security.FullControlOnceLoggedInAuthorizationStrategy;
import hudson.security.HudsonPrivateSecurityRealm;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.testing.FaultyHttpProxy;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import jenkins.model.JenkinsLocationConfiguration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Agents in separate processes send frames to the Jenkins URL if they can reach it. If not, builds succeed over the channel. */
class DirectLaneTest extends LaneTestBase {
    @BeforeEach
    void configure() {
        factory.setCodec("none");
        factory.setReuse("off"); // a transfer whose lane fails looks slow, so the next one would reuse content
        usePlugin();
    }

    private FreeStyleProject job(Slave agent) throws Exception {
        return job(agent, 60_000_000);
    }

    private String rootUrl(int port) {
        return "http://127.0.0.1:" + port + r.contextPath + "/";
    }

    @ParameterizedTest
    @EnumSource(InboundTransport.class)
    void inboundAgentsUseDirectLane(InboundTransport transport) throws Exception {
        factory.setDirectLane("required");
        String log = archive(job(transport.start(agents, r)));
        assertTrue(log.contains("; direct HTTP 60.0 MB"), log);
        assertDirect(log);
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
        assertDirect(archive(job(agentBehind(r.getURL().toString()))));
    }

    @Test
    void offModeTriesNoLane() throws Exception {
        factory.setDirectLane("off");
        assertUntried(archive(job(InboundTransport.WEBSOCKET.start(agents, r))));
    }

    /** A build is aborted while it waits for a connection. */
    @Test
    void interruptedWaitLeavesNoSession() throws Exception {
        Slave agent = r.createOnlineSlave();
        AgentInfo facts = AgentInfo.of(agent.getChannel());
        AtomicReference<DirectLaneSessions.Session> opened = new AtomicReference<>();
        Thread.currentThread().interrupt();
        List<DirectLaneSessions.Session> busy = Stream.generate(() ->
                        DirectLaneSessions.ALL.openUpload(null, taken -> {}, new DirectLaneSessions.Terms("busy", 1)))
                .limit(DirectLaneSessions.CONNECTIONS_PER_AGENT)
                .toList();
        try {
            busy.forEach(DirectLaneSessions.Session::connections);
            assertThrows(
                    InterruptedException.class,
                    () -> DirectLaneSetup.open(
                            TransferSettings.DirectLane.REQUIRED,
                            agent.getRootPath(),
                            "busy",
                            System.out,
                            facts,
                            terms -> {
                                opened.set(DirectLaneSessions.ALL.openUpload(null, taken -> {}, terms));
                                return opened.get();
                            }));
            assertNull(DirectLaneSessions.ALL.find(opened.get().keys().id()));
        } finally {
            busy.forEach(DirectLaneSessions.Session::close);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = FaultyHttpProxy.Fault.class,
            names = {"PROBE_UNANSWERED", "TOO_LARGE"})
    void buildSucceedsAfterFailedLane(FaultyHttpProxy.Fault fault) throws Exception {
        try (FaultyHttpProxy server = new FaultyHttpProxy(r.getURL().getPort(), fault)) {
            // must last longer than the probe, or than its time limit
            long size = fault == FaultyHttpProxy.Fault.PROBE_UNANSWERED ? 3_000_000_000L : 300_000_000;
            FreeStyleProject job = job(agentBehind(rootUrl(server.port())), size);
            assertFailureOnce(fault.reason(), archive(job));
            int bodies = server.bodies();
            assertUntried(archive(job));
            assertEquals(bodies, server.bodies());
        }
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
            job = job(agent, 300_000_000); // must last until a connection has broken twice
            assertFailureOnce("", archive(job));
        }
        JenkinsLocationConfiguration.get().setUrl(r.getURL().toString());
        agent.toComputer().disconnect(null).get();
        agent.toComputer().connect(true).get();
        assertDirect(archive(job));
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
