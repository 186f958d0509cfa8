package io.jenkins.plugins.compressionaware;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.Util;
import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Node;
import hudson.tasks.ArtifactArchiver;
import io.jenkins.plugins.compressionaware.testkit.jenkins.Agents;
import io.jenkins.plugins.compressionaware.testkit.jenkins.Archiving;
import java.io.File;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import jenkins.model.StandardArtifactManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.jvnet.hudson.test.JenkinsRule;
import org.jvnet.hudson.test.junit.jupiter.InboundAgentExtension;
import org.jvnet.hudson.test.junit.jupiter.RealJenkinsExtension;

/** In a controller process of its own, as an administrator runs it. */
class RestartTest {
    private static final String CONTENT = "what was archived\n".repeat(1000);

    @RegisterExtension
    private final RealJenkinsExtension jenkins = new RealJenkinsExtension();

    @RegisterExtension
    private final InboundAgentExtension agents = new InboundAgentExtension();

    @BeforeEach
    void archive() throws Throwable {
        Agents.startBoth(jenkins, agents);
        jenkins.runRemotely(RestartTest::archiveOneFile);
        agents.stop(jenkins, "remote");
        jenkins.stopJenkins();
    }

    @Test
    void artifactsAreServedAfterARestart() throws Throwable {
        jenkins.then(r -> {
            assertInstanceOf(CompressionAwareArtifactManager.class, lastBuild(r).getArtifactManager());
            assertContent(r);
        });
    }

    @Test
    void artifactsAreServedWhenThePluginIsGone() throws Throwable {
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
