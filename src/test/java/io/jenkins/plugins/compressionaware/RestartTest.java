package io.jenkins.plugins.compressionaware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.Util;
import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Node;
import hudson.model.Result;
import hudson.tasks.ArtifactArchiver;
import io.jenkins.plugins.compressionaware.report.BuildTransfersAction;
import io.jenkins.plugins.compressionaware.testing.jenkins.Archiving;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.Pipelines;
import io.jenkins.plugins.compressionaware.testing.jenkins.RealJenkinsTestBase;
import java.io.File;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import jenkins.model.StandardArtifactManager;
import net.sf.json.JSONObject;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule;

/** Restarts a controller that has a finished build and a Pipeline that has stashed and is waiting. */
class RestartTest extends RealJenkinsTestBase {
    private static final String CONTENT = "what was archived\n".repeat(1000);

    @BeforeEach
    void archiveAndStash() throws Throwable {
        InboundTransport.startBoth(jenkins, agents);
        jenkins.runRemotely(RestartTest::archiveOneFile);
        jenkins.runRemotely(RestartTest::stashAndWait);
        agents.stop(jenkins, "remote");
        jenkins.stopJenkins();
    }

    @Test
    void artifactsAndStashesSurviveRestart() throws Throwable {
        jenkins.then(r -> {
            FreeStyleBuild build = lastBuild(r);
            assertInstanceOf(CompressionAwareArtifactManager.class, build.getArtifactManager());
            assertContent(r);
            assertEquals(
                    CONTENT.length(),
                    build.getAction(BuildTransfersAction.class).getTransfers().get(0).rawBytes);
            JSONObject sums = r.getJSON("manage/artifact-transfers/api/json")
                    .getJSONObject()
                    .getJSONObject("lastWeek");
            assertEquals(2, sums.getInt("transfers"));

            WorkflowRun stashed = goOn(r);
            r.assertBuildStatusSuccess(stashed);
            r.assertLogContains("> content", stashed);
        });
    }

    /** Without the plugin, core serves the artifacts and searches for the stash. */
    @Test
    void coreServesArtifactsAfterPluginIsRemoved() throws Throwable {
        File[] plugin = new File(jenkins.getHome(), "plugins")
                .listFiles((folder, name) -> name.startsWith("compression-aware-artifacts"));
        assertTrue(plugin.length > 0);
        for (File file : plugin) {
            Util.deleteRecursive(file);
        }
        jenkins.then(r -> {
            assertNull(r.jenkins.pluginManager.getPlugin("compression-aware-artifacts"));
            assertEquals(
                    StandardArtifactManager.class,
                    lastBuild(r).getArtifactManager().getClass());
            assertContent(r);

            WorkflowRun stashed = goOn(r);
            r.assertBuildStatus(Result.FAILURE, stashed);
            r.assertLogContains("No such saved stash ‘x’", stashed);
        });
    }

    private static void archiveOneFile(JenkinsRule r) throws Throwable {
        Archiving.configure();
        FreeStyleProject job = r.createFreeStyleProject("job");
        Node agent = r.jenkins.getNode("remote");
        job.setAssignedNode(agent);
        agent.getWorkspaceFor(job).child("folder/file.txt").write(CONTENT, "UTF-8");
        job.getPublishersList().add(new ArtifactArchiver("**"));
        r.assertLogContains("Artifacts: 1 file,", r.buildAndAssertSuccess(job));
    }

    private static void stashAndWait(JenkinsRule r) throws Throwable {
        WorkflowJob job = Pipelines.create(r, "stashing", """
                node('built-in') { writeFile file: 'a', text: 'content'; stash 'x' }
                input 'go on'
                node('built-in') { deleteDir(); unstash 'x'; echo('> ' + readFile('a')) }
                """);
        WorkflowRun build = job.scheduleBuild2(0).waitForStart();
        Pipelines.awaitInputs(build, 1);
        assertTrue(new File(build.getRootDir(), "stashes/x.tar.zst").isFile());
    }

    private static WorkflowRun goOn(JenkinsRule r) throws Exception {
        return Pipelines.goOn(
                r, r.jenkins.getItemByFullName("stashing", WorkflowJob.class).getLastBuild());
    }

    private static FreeStyleBuild lastBuild(JenkinsRule r) {
        return r.jenkins.getItemByFullName("job", FreeStyleProject.class).getLastBuild();
    }

    private static void assertContent(JenkinsRule r) throws Exception {
        try (JenkinsRule.WebClient client = r.createWebClient();
                InputStream in = client.goTo("job/job/1/artifact/folder/file.txt", "text/plain")
                        .getWebResponse()
                        .getContentAsStream()) {
            assertEquals(CONTENT, new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
