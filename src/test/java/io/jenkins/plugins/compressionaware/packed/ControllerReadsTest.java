package io.jenkins.plugins.compressionaware.packed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.testing.FakeStore;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.FakeStoreTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reads of the controller from a store that is busy for some seconds. */
class ControllerReadsTest extends FakeStoreTestBase {
    private static final String BUSY = "503 SlowDown";

    /** The number of requests of a page. */
    private static final int FOR_PAGE = 4;

    private final AtomicInteger reads = new AtomicInteger();
    private Slave agent;
    private FreeStyleProject job;

    ControllerReadsTest() throws IOException {}

    @BeforeEach
    void start() throws Exception {
        agent = InboundTransport.TCP.start(agents, r);
        job = archiving(agent);
        FileTrees.write(workspaceOf(agent, job), "a", "text");
    }

    /** Lets the first requests for contents fail. */
    private void fail(String fault, int requests) {
        reads.set(0);
        store.fail(request -> request.method().equals("GET")
                        && request.query().containsKey("X-Amz-Signature")
                        && reads.incrementAndGet() <= requests
                ? fault
                : null);
    }

    /** The JDK repeats a request once if its connection is reset. */
    @Test
    void readsForBuildsOutlastABusyStore() throws Exception {
        assertRead(BUSY, 1);
        assertRead(FakeStore.RESET, 1);
        assertRead(BUSY, FOR_PAGE);
        assertRead(FakeStore.RESET, 2 * FOR_PAGE);
    }

    private void assertRead(String fault, int failures) throws Exception {
        FreeStyleBuild build = r.buildAndAssertSuccess(job);
        fail(fault, failures);
        try (InputStream in = build.getArtifactManager().root().child("a").open()) {
            assertEquals("text", new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
        assertEquals(failures + 1, reads.get(), fault);
    }

    @Test
    void unstashOnTheControllerOutlastsABusyStore() throws Exception {
        fail(BUSY, FOR_PAGE);
        WorkflowRun build = r.buildAndAssertSuccess(
                pipeline("node('" + agent.getNodeName() + "') { writeFile file: 'a', text: 'kept'; stash 'x' }\n"
                        + "node('built-in') { unstash 'x'; echo 'read ' + readFile('a') }"));
        r.assertLogContains("read kept", build);
        String log = build.getLog();
        assertTrue(log.lines().anyMatch(line -> line.matches(".*Unstash x: .*; s3://bucket.*")), log);
        assertTrue(reads.get() > FOR_PAGE, reads.get() + " requests");
    }

    /** The thread of a web request waits for the store. */
    @Test
    void pageIsRepeatedBrieflyOnly() throws Exception {
        String page = r.buildAndAssertSuccess(job).getUrl() + "artifact/a";
        try (var client = r.createWebClient()) {
            fail(BUSY, Integer.MAX_VALUE);
            assertEquals(404, get(client, page), "as Jenkins reports any file that cannot be opened");
            assertEquals(FOR_PAGE, reads.get());
            fail(BUSY, 1);
            assertEquals(200, get(client, page));
        }
    }
}
