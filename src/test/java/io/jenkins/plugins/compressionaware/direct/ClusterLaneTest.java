package io.jenkins.plugins.compressionaware.direct;

import static org.awaitility.Awaitility.await;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.EnvVars;
import hudson.FilePath;
import hudson.model.Computer;
import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Result;
import hudson.model.Slave;
import hudson.model.TaskListener;
import hudson.remoting.VirtualChannel;
import hudson.util.StreamTaskListener;
import io.jenkins.plugins.compressionaware.testkit.Trees;
import io.jenkins.plugins.compressionaware.testkit.jenkins.Agents;
import io.jenkins.plugins.compressionaware.testkit.jenkins.Nginx;
import io.jenkins.plugins.compressionaware.testkit.jenkins.OnJenkins;
import io.jenkins.plugins.compressionaware.transfer.DirectOffer;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import jenkins.model.JenkinsLocationConfiguration;
import jenkins.util.HttpServletFilter;
import org.jenkinsci.plugins.workflow.flow.StashManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.TestExtension;

/** Agents that came to this Jenkins over plain http, while its root URL is https and out of their reach. */
class ClusterLaneTest extends OnJenkins {
    private static final String ROOT = "https://jenkins.invalid/";

    /** Hosts of requests with a token, without encryption. */
    private static final Queue<String> TOKENS = new ConcurrentLinkedQueue<>();

    @TempDir
    Path tmp;

    @BeforeEach
    void configure() {
        TOKENS.clear();
        factory.setCodec("none");
        usePlugin();
    }

    /** An agent that is told this address, and afterwards the root URL is another. */
    private Slave agent(Agents kind, String url) throws Exception {
        if (kind == Agents.TCP) {
            r.jenkins.setSlaveAgentPort(0);
        }
        JenkinsLocationConfiguration.get().setUrl(url);
        Slave agent = agents.createAgent(r, kind.options());
        JenkinsLocationConfiguration.get().setUrl(ROOT);
        return agent;
    }

    private Slave agent(Agents kind) throws Exception {
        return agent(kind, r.getURL().toString());
    }

    private FreeStyleProject job(Slave agent) throws Exception {
        FreeStyleProject job = archiving(agent);
        noise(agent.getWorkspaceFor(job), 60_000_000);
        return job;
    }

    private static void noise(FilePath folder, int size) throws Exception {
        byte[] noise = Trees.noise(size);
        Files.write(Files.createDirectories(Path.of(folder.getRemote())).resolve("noise"), noise);
    }

    private String archive(Slave agent) throws Exception {
        return JenkinsRule.getLog(r.buildAndAssertSuccess(job(agent)));
    }

    private static void assertDirect(String log) {
        assertThat(log, containsString(" none, direct "));
        assertThat(log, not(containsString("The direct lane does not work")));
    }

    @Test
    void aPlainWebSocketMayHaveRequestsBesideIt() throws Exception {
        factory.setDirectLane("required");
        Slave agent = agent(Agents.WEBSOCKET);
        assertDirect(archive(agent));
        assertTrue(TOKENS.contains(r.getURL().getAuthority()), TOKENS.toString());
        assertEquals(r.getURL().toString(), PlainWebSocket.of(agent.toComputer().getChannel()));
    }

    @Test
    void itMayAfterAReconnectionToo() throws Exception {
        factory.setDirectLane("required");
        Slave agent = agent(Agents.WEBSOCKET);
        Computer computer = agent.toComputer();
        VirtualChannel first = computer.getChannel();
        first.close();
        await().until(() -> computer.isOnline() && computer.getChannel() != first);
        assertNotNull(PlainWebSocket.of(agent.toComputer().getChannel()));
        assertDirect(archive(agent));
    }

    @Test
    void noTokenLeavesAnEncryptedChannelForAPlainAddress() throws Exception {
        Slave agent = agent(Agents.TCP);
        assertNull(PlainWebSocket.of(agent.toComputer().getChannel()));
        FreeStyleProject job = job(agent);
        factory.setDirectLane("required");
        FreeStyleBuild refused = r.buildAndAssertStatus(Result.FAILURE, job);
        r.assertLogContains("does not work: " + ROOT, refused);
        r.assertLogContains("choose \u201cunencrypted\u201d", refused);
        factory.setDirectLane("automatic");
        FreeStyleBuild build = r.buildAndAssertSuccess(job);
        r.assertLogContains("The direct lane does not work, so the channel was used instead. " + ROOT, build);
        r.assertLogContains("unknown host", build);
        r.assertLogContains(r.getURL() + ", which was not tried", build);
        r.assertLogContains("choose \u201cunencrypted\u201d", build);
        assertEquals(0, TOKENS.size(), TOKENS.toString());
        LaneState state = LaneState.of(agent.toComputer(), "automatic");
        assertEquals(LaneState.Kind.LOST, state.kind());
        assertThat(state.advice(), containsString("unencrypted"));
    }

    @Test
    void unlessTheAdministratorHasDecidedSo() throws Exception {
        factory.setDirectLane("unencrypted");
        assertDirect(archive(agent(Agents.TCP)));
        assertTrue(TOKENS.contains(r.getURL().getAuthority()), TOKENS.toString());
    }

    @Test
    void aWebSocketThatHadTlsOnItsWayIsNotPlain() throws Exception {
        String proxy = """
                        location / {
                            proxy_pass http://127.0.0.1:%d;
                            proxy_http_version 1.1;
                            proxy_set_header Host $http_host;
                            proxy_set_header X-Forwarded-Proto https;
                            proxy_set_header Connection $connection_upgrade;
                            proxy_set_header Upgrade $http_upgrade;
                        }
                """.formatted(r.getURL().getPort());
        try (Nginx nginx = new Nginx(tmp, "", proxy)) {
            Slave agent = agent(Agents.WEBSOCKET, "http://127.0.0.1:" + nginx.port() + r.contextPath + "/");
            assertNull(PlainWebSocket.of(agent.toComputer().getChannel()));
            archive(agent);
            assertEquals(0, TOKENS.size(), TOKENS.toString());
        }
    }

    @Test
    void whatAnAgentClaimsIsNotEnough() throws Exception {
        // it came to 127.0.0.1, and says that it came to localhost
        Slave agent = agent(Agents.WEBSOCKET, "http://127.0.0.1:" + r.getURL().getPort() + r.contextPath + "/");
        String claimed = "http://localhost:" + r.getURL().getPort() + r.contextPath + "/";
        LaneAddresses addresses = LaneAddresses.of(
                "automatic", ROOT, claimed, PlainWebSocket.of(agent.toComputer().getChannel()));
        assertEquals(List.of(ROOT), addresses.offered());
    }

    @Test
    void stashesGoAndComeTheSameWay() throws Exception {
        factory.setDirectLane("required");
        Slave agent = agent(Agents.WEBSOCKET);
        FreeStyleBuild build = r.buildAndAssertSuccess(r.createFreeStyleProject());
        FilePath workspace = agent.getRootPath().child("here");
        noise(workspace, 30_000_000);
        Map<String, String> before = Trees.describe(Path.of(workspace.getRemote()));
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        TaskListener listener = new StreamTaskListener(log, StandardCharsets.UTF_8);
        EnvVars none = new EnvVars();
        StashManager.stash(
                build, "x", workspace, agent.createLauncher(listener), none, listener, null, null, true, false);
        workspace.deleteContents();
        TOKENS.clear();
        StashManager.unstash(build, "x", workspace, agent.createLauncher(listener), none, listener);
        assertEquals(before, Trees.describe(Path.of(workspace.getRemote())));
        assertThat(log.toString(StandardCharsets.UTF_8), containsString("as stored, direct 30"));
        assertTrue(TOKENS.contains(r.getURL().getAuthority()), TOKENS.toString());
    }

    /** Sees every request that shows a token. */
    @TestExtension
    public static final class Tokens implements HttpServletFilter {
        @Override
        public boolean handle(HttpServletRequest request, HttpServletResponse response) {
            if (request.getHeader(DirectOffer.TOKEN_HEADER) != null) {
                TOKENS.add(URI.create(request.getRequestURL().toString()).getAuthority());
            }
            return false;
        }
    }
}
