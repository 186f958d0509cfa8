package io.jenkins.plugins.compressionaware.directlane;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.EnvVars;
import hudson.FilePath;
import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Slave;
import hudson.model.TaskListener;
import hudson.util.StreamTaskListener;
import io.jenkins.plugins.compressionaware.engine.lane.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import jenkins.model.ArtifactManagerConfiguration;
import jenkins.model.JenkinsLocationConfiguration;
import jenkins.util.HttpServletFilter;
import org.jenkinsci.plugins.workflow.flow.StashManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.TestExtension;

/** Agents that connect over plain http, while the root URL is https and unreachable for them. */
class ClusterLaneTest extends JenkinsTestBase {
    private static final String ROOT = "https://jenkins.invalid/";

    /** Hosts of requests that reached this Jenkins over http, and whether their bodies were sealed. */
    private static final Queue<String> REQUESTS = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void configure() {
        REQUESTS.clear();
        factory.setCodec("none");
        usePlugin();
    }

    /** Returns an agent that connects to this URL; afterwards the root URL changes. */
    private Slave agent(InboundTransport transport, String url) throws Exception {
        if (transport == InboundTransport.TCP) {
            r.jenkins.setSlaveAgentPort(0);
        }
        JenkinsLocationConfiguration.get().setUrl(url);
        Slave agent = agents.createAgent(r, transport.options());
        JenkinsLocationConfiguration.get().setUrl(ROOT);
        return agent;
    }

    private Slave agent(InboundTransport transport) throws Exception {
        return agent(transport, r.getURL().toString());
    }

    private FreeStyleProject job(Slave agent) throws Exception {
        FreeStyleProject job = archiving(agent);
        noise(agent.getWorkspaceFor(job), 60_000_000);
        return job;
    }

    private static void noise(FilePath folder, int size) throws Exception {
        byte[] noise = FileTrees.noise(size);
        Files.write(Files.createDirectories(Path.of(folder.getRemote())).resolve("noise"), noise);
    }

    private String archive(Slave agent) throws Exception {
        return JenkinsRule.getLog(r.buildAndAssertSuccess(job(agent)));
    }

    private static void assertDirect(String log) {
        assertThat(log, containsString("; direct HTTP "));
        assertThat(log, not(containsString("Direct HTTP transfer failed")));
    }

    private void assertAll(String mode) throws Exception {
        assertThat(REQUESTS, not(empty()));
        assertThat(REQUESTS, everyItem(equalTo(r.getURL().getAuthority() + " " + mode)));
    }

    @ParameterizedTest
    @EnumSource
    void bodiesAreSealed(InboundTransport transport) throws Exception {
        factory.setDirectLane("required");
        assertDirect(archive(agent(transport)));
        assertAll("sealed");
    }

    @Test
    void plainModeSendsReadableBodies() throws Exception {
        factory.setDirectLane("plain");
        Slave agent = agent(InboundTransport.TCP);
        String log = archive(agent);
        // on a busy machine the probe may not be answered in time
        for (int i = 0; i < 10 && !log.contains("; direct HTTP "); i++) {
            ArtifactManagerConfiguration.get().save();
            log = archive(agent);
        }
        assertDirect(log);
        assertAll("open");
    }

    @Test
    void stashAndUnstashUseSealedRequests() throws Exception {
        factory.setDirectLane("required");
        Slave agent = agent(InboundTransport.WEBSOCKET);
        FreeStyleBuild build = r.buildAndAssertSuccess(r.createFreeStyleProject());
        FilePath workspace = agent.getRootPath().child("here");
        noise(workspace, 30_000_000);
        Map<String, String> before = FileTrees.describe(Path.of(workspace.getRemote()));
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        TaskListener listener = new StreamTaskListener(log, StandardCharsets.UTF_8);
        EnvVars none = new EnvVars();
        StashManager.stash(
                build, "x", workspace, agent.createLauncher(listener), none, listener, null, null, true, false);
        workspace.deleteContents();
        REQUESTS.clear();
        StashManager.unstash(build, "x", workspace, agent.createLauncher(listener), none, listener);
        assertEquals(before, FileTrees.describe(Path.of(workspace.getRemote())));
        assertThat(log.toString(StandardCharsets.UTF_8), containsString("direct HTTP 30"));
        assertAll("sealed");
    }

    /** Records each request of a transfer. */
    @TestExtension
    public static final class Tokens implements HttpServletFilter {
        @Override
        public boolean handle(HttpServletRequest request, HttpServletResponse response) {
            String header = request.getHeader(DirectLaneOffer.REQUEST_HEADER);
            if (header != null) {
                REQUESTS.add(
                        URI.create(request.getRequestURL().toString()).getAuthority() + ' ' + header.split(" ")[1]);
            }
            return false;
        }
    }
}
