package io.jenkins.plugins.compressionaware.stash;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.Archiving;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.Pipelines;
import io.jenkins.plugins.compressionaware.testing.jenkins.RealJenkinsTestBase;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule;

/** Runs in a real Jenkins, where each plugin has its own class loader on the controller and on agents. */
class FreshAgentTest extends RealJenkinsTestBase {
    /** Agent "two" is fresh; agent "one" has stashed before. */
    @Test
    void unstashesTooManyBytesForBootstrapCall() throws Throwable {
        jenkins.startJenkins();
        InboundTransport.startNamed("one", agents, jenkins);
        InboundTransport.startNamed("two", agents, jenkins);
        jenkins.runRemotely(FreshAgentTest::stashOnOneAndUnstashOnBoth);
    }

    private static void stashOnOneAndUnstashOnBoth(JenkinsRule r) throws Throwable {
        Archiving.configure();
        WorkflowJob job = Pipelines.create(r, "job", """
                node('one') { dir('from') { stash 'x' } }
                for (agent in ['two', 'one', 'two']) {
                    node(agent) { dir('from-' + agent) { deleteDir(); unstash 'x' } }
                }
                """);
        Path from = Pipelines.workspaceOn("one", job).resolve("from");
        FileTrees.noise(from.resolve("d/" + "long".repeat(40)), 5_000_000);
        Files.writeString(from.resolve("text"), "text ".repeat(1_000_000));
        Files.createSymbolicLink(from.resolve("link"), Path.of("text"));
        r.buildAndAssertSuccess(job);
        for (String agent : new String[] {"one", "two"}) {
            Path copy = Pipelines.workspaceOn(agent, job).resolve("from-" + agent);
            assertEquals(FileTrees.describe(from), FileTrees.describe(copy), agent);
        }
    }
}
