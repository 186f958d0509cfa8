package io.jenkins.plugins.compressionaware.stash;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.Util;
import hudson.model.Result;
import io.jenkins.plugins.compressionaware.testkit.jenkins.Archiving;
import java.io.File;
import java.util.List;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.jenkinsci.plugins.workflow.support.steps.input.InputAction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.junit.jupiter.RealJenkinsExtension;

/** A Pipeline that has stashed, and waits while the controller is restarted. */
class StashAcrossRestartTest {
    @RegisterExtension
    private final RealJenkinsExtension jenkins = new RealJenkinsExtension();

    @BeforeEach
    void stash() throws Throwable {
        jenkins.startJenkins();
        jenkins.runRemotely(StashAcrossRestartTest::stashAndWait);
        jenkins.stopJenkins();
    }

    private static void stashAndWait(JenkinsRule r) throws Throwable {
        Archiving.configure();
        WorkflowJob job = r.createProject(WorkflowJob.class, "job");
        job.setDefinition(new CpsFlowDefinition("""
                node('built-in') { writeFile file: 'a', text: 'content'; stash 'x' }
                input 'go on'
                node('built-in') { deleteDir(); unstash 'x'; echo('> ' + readFile('a')) }
                """, true));
        WorkflowRun build = job.scheduleBuild2(0).waitForStart();
        while (build.getAction(InputAction.class) == null
                || build.getAction(InputAction.class).getExecutions().isEmpty()) {
            assertTrue(build.isBuilding(), "see the build's log");
            Thread.sleep(100);
        }
        assertTrue(new File(build.getRootDir(), "stashes/x.tar.zst").isFile());
    }

    private static WorkflowRun goOn(JenkinsRule r) throws Exception {
        WorkflowRun build =
                r.jenkins.getItemByFullName("job", WorkflowJob.class).getLastBuild();
        for (var input : List.copyOf(build.getAction(InputAction.class).getExecutions())) {
            input.proceed(null);
        }
        return r.waitForCompletion(build);
    }

    @Test
    void theStashIsThereAfterwards() throws Throwable {
        jenkins.then(r -> {
            WorkflowRun build = goOn(r);
            r.assertBuildStatusSuccess(build);
            r.assertLogContains("> content", build);
        });
    }

    /** It is core that looks for it now. */
    @Test
    void thePluginIsGone() throws Throwable {
        File[] plugin = new File(jenkins.getHome(), "plugins")
                .listFiles((folder, name) -> name.startsWith("compression-aware-artifacts"));
        assertTrue(plugin.length > 0);
        for (File file : plugin) {
            Util.deleteRecursive(file);
        }
        jenkins.then(r -> {
            assertNull(r.jenkins.pluginManager.getPlugin("compression-aware-artifacts"));
            WorkflowRun build = goOn(r);
            r.assertBuildStatus(Result.FAILURE, build);
            r.assertLogContains("No such saved stash ‘x’", build);
        });
    }
}
