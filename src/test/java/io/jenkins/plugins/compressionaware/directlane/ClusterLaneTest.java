package io.jenkins.plugins.compressionaware.directlane;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneOffer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import jenkins.model.JenkinsLocationConfiguration;
import jenkins.util.HttpServletFilter;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.TestExtension;

/** Agents that connect over plain http, while the root URL is https and unreachable for them. */
class ClusterLaneTest extends LaneTestBase {
    private static final String ROOT = "https://jenkins.invalid/";

    /** Hosts of requests that reached this Jenkins over http. */
    private static final Queue<String> REQUESTS = new ConcurrentLinkedQueue<>();

    @BeforeEach
    void configure() {
        REQUESTS.clear();
        factory.setCodec("none");
        usePlugin();
    }

    /** Returns an agent that connects to this Jenkins; afterwards the root URL changes. */
    private Slave agent(InboundTransport transport) throws Exception {
        Slave agent = transport.start(agents, r);
        JenkinsLocationConfiguration.get().setUrl(ROOT);
        return agent;
    }

    private String archive(Slave agent) throws Exception {
        return archive(job(agent, 60_000_000));
    }

    private void assertAllArrive() throws Exception {
        assertThat(REQUESTS, not(empty()));
        assertThat(REQUESTS, everyItem(equalTo(r.getURL().getAuthority())));
    }

    @ParameterizedTest
    @EnumSource
    void archiveUsesAddressOfConnection(InboundTransport transport) throws Exception {
        factory.setDirectLane("required");
        assertDirect(archive(agent(transport)));
        assertAllArrive();
    }

    @Test
    void stashAndUnstashUseAddressOfConnection() throws Exception {
        factory.setDirectLane("required");
        Slave agent = agent(InboundTransport.WEBSOCKET);
        WorkflowJob job = pipeline(
                "node('" + agent.getNodeName() + "') { dir('from') { stash 'x' }; dir('to') { unstash 'x' } }");
        Path from = workspaceOf(agent, job).resolve("from");
        FileTrees.noise(from.resolve("noise"), 30_000_000);
        WorkflowRun build = r.buildAndAssertSuccess(job);
        assertEquals(FileTrees.describe(from), FileTrees.describe(from.resolveSibling("to")));
        List<String> direct = JenkinsRule.getLog(build)
                .lines()
                .filter(line -> line.contains("direct HTTP 30"))
                .toList();
        assertEquals(2, direct.size(), JenkinsRule.getLog(build));
        assertAllArrive();
    }

    /** Records each request of a transfer. */
    @TestExtension
    public static final class Tokens implements HttpServletFilter {
        @Override
        public boolean handle(HttpServletRequest request, HttpServletResponse response) {
            String header = request.getHeader(DirectLaneOffer.REQUEST_HEADER);
            if (header != null) {
                REQUESTS.add(URI.create(request.getRequestURL().toString()).getAuthority());
            }
            return false;
        }
    }
}
