package io.jenkins.plugins.compressionaware.stash;

import hudson.EnvVars;
import hudson.FilePath;
import hudson.model.FreeStyleBuild;
import hudson.model.TaskListener;
import hudson.slaves.DumbSlave;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.Archiving;
import io.jenkins.plugins.compressionaware.testing.jenkins.RealJenkinsTestBase;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jenkinsci.plugins.workflow.flow.StashManager;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.junit.jupiter.InboundAgentExtension;

/** Runs in a real Jenkins, where each plugin has its own class loader on the controller and on agents. */
class FreshAgentTest extends RealJenkinsTestBase {
    private void agent(String name) throws Throwable {
        agents.createAgent(
                jenkins,
                InboundAgentExtension.Options.newBuilder()
                        .name(name)
                        .webSocket()
                        .build());
    }

    /** Agent "two" is fresh; agent "one" has stashed before. */
    @Test
    void unstashesTooManyBytesForBootstrapCall() throws Throwable {
        jenkins.startJenkins();
        agent("one");
        agent("two");
        jenkins.runRemotely(FreshAgentTest::stashOnOneAndUnstashOnBoth);
    }

    private static void stashOnOneAndUnstashOnBoth(JenkinsRule r) throws Throwable {
        Archiving.configure();
        FreeStyleBuild build = r.buildAndAssertSuccess(r.createFreeStyleProject("job"));
        FilePath one = workspace(r, "one");
        Path file = Path.of(one.child("d/" + "long".repeat(40)).getRemote());
        FileTrees.noise(file, 5_000_000);
        one.child("text").write("text ".repeat(1_000_000), null);
        one.child("link").symlinkTo("text", TaskListener.NULL);
        StashManager.stash(
                build,
                "x",
                one,
                ((DumbSlave) r.jenkins.getNode("one")).createLauncher(TaskListener.NULL),
                new EnvVars(),
                TaskListener.NULL,
                null,
                null,
                true,
                false);
        for (String name : new String[] {"two", "one", "two"}) {
            FilePath target = workspace(r, name).child("target");
            StashManager.unstash(
                    build,
                    "x",
                    target,
                    ((DumbSlave) r.jenkins.getNode(name)).createLauncher(TaskListener.NULL),
                    new EnvVars(),
                    TaskListener.NULL);
            Path copy =
                    Path.of(target.getRemote()).resolve(Path.of(one.getRemote()).relativize(file));
            if (Files.mismatch(file, copy) >= 0
                    || !target.child("link").readToString().equals("text ".repeat(1_000_000))) {
                throw new AssertionError(name);
            }
            target.deleteRecursive();
        }
    }

    private static FilePath workspace(JenkinsRule r, String name) {
        return ((DumbSlave) r.jenkins.getNode(name)).getRootPath().child("here");
    }
}
