package io.jenkins.plugins.compressionaware.stash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.directlane.AgentProfile;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.jvnet.hudson.test.JenkinsRule;

/** Tests one stash that ten agents unstash in parallel. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class FanOutTest extends JenkinsTestBase {
    private static final int AGENTS = 10;

    @TempDir
    private Path tmp;

    /** The file has half the size of the controller's heap. */
    @Test
    void parallelUnstashesDoNotKeepFileInHeap() throws Exception {
        usePlugin();
        for (int i = 0; i < AGENTS; i++) {
            (i % 2 == 0 ? InboundTransport.TCP : InboundTransport.WEBSOCKET).startNamed("agent" + i, agents, r);
        }
        long size = Runtime.getRuntime().maxMemory() / 2;
        Path sum = Files.createDirectory(tmp.resolve("sums"));
        WorkflowJob job = pipeline("""
                node('agent0') {
                    sh 'head -c %d /dev/urandom > noise; cksum < noise > %s/expected'
                    stash 'x'
                    deleteDir()
                }
                def each = [:]
                for (int i = 0; i < %d; i++) {
                    def name = "agent${i}"
                    each[name] = { node(name) {
                        unstash 'x'
                        sh "cksum < noise > %s/${name}"
                        deleteDir()
                    } }
                }
                parallel each""".formatted(size, sum, AGENTS, sum));

        WorkflowRun build = r.buildAndAssertSuccess(job);

        for (int i = 0; i < AGENTS; i++) {
            String agent = "agent" + i;
            assertEquals(Files.readString(sum.resolve("expected")), Files.readString(sum.resolve(agent)));
            double link = AgentProfile.of(r.jenkins.getNode(agent).getRootPath(), null)
                    .find(AgentProfile.Property.DOWNLINK);
            assertTrue(link >= 0, agent + " has a measured link: " + link);
        }
        String log = JenkinsRule.getLog(build);
        assertEquals(
                AGENTS, log.lines().filter(line -> line.contains("Unstash x: ")).count(), log);
        assertTrue(log.contains("; direct HTTP "), log);
    }
}
