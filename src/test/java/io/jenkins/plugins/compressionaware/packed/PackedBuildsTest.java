package io.jenkins.plugins.compressionaware.packed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.Fingerprint;
import hudson.model.FreeStyleBuild;
import hudson.model.FreeStyleProject;
import hudson.model.Run;
import hudson.model.Slave;
import hudson.tasks.ArtifactArchiver;
import hudson.tasks.LogRotator;
import hudson.util.StreamTaskListener;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.commons.codec.digest.DigestUtils;
import org.jenkinsci.plugins.pipeline.modeldefinition.actions.RestartDeclarativePipelineAction;
import org.jenkinsci.plugins.workflow.cps.replay.ReplayAction;
import org.jenkinsci.plugins.workflow.flow.StashManager;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.jvnet.hudson.test.JenkinsRule;

/** What else Jenkins does with builds whose artifacts are packed. */
class PackedBuildsTest extends JenkinsTestBase {
    private Slave agent;

    @BeforeEach
    void start() throws Exception {
        usePlugin();
        pack();
        agent = InboundTransport.TCP.start(agents, r);
    }

    void pack() throws Exception {
        factory.setStorage("packed");
    }

    private static Set<String> names(Run<?, ?> build) {
        return build.getArtifacts().stream()
                .map(artifact -> artifact.relativePath)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String text(Run<?, ?> build, String name) throws Exception {
        try (InputStream in = build.getArtifactManager().root().child(name).open()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void assertPacked(Run<?, ?> build) throws Exception {
        assertEquals(List.of("packed-artifacts"), FileTrees.list(archiveOf(build)));
    }

    /** Both plugins store their files beside the artifacts. */
    @Test
    void reportsOfOtherPluginsAreShown() throws Exception {
        WorkflowJob job = pipeline("""
            node('%s') {
                writeFile file: 'target/report.xml', text: '<testsuite name="s"><testcase name="passes" classname="C"/></testsuite>'
                writeFile file: 'html/index.html', text: '<p>published</p>'
                junit 'target/report.xml'
                publishHTML target: [reportName: 'Pages', reportDir: 'html', reportFiles: 'index.html', keepAll: true,
                        alwaysLinkToLastBuild: false, allowMissing: false]
                archiveArtifacts '**'
            }
            """.formatted(agent.getNodeName()));
        WorkflowRun build = r.buildAndAssertSuccess(job);
        assertPacked(build);
        assertEquals(Set.of("html/index.html", "target/report.xml"), names(build));
        try (JenkinsRule.WebClient client = r.createWebClient()) {
            client.getOptions().setJavaScriptEnabled(false);
            assertTrue(client.goTo(build.getUrl() + "Pages/index.html")
                    .asNormalizedText()
                    .contains("published"));
            assertTrue(client.goTo(build.getUrl() + "testReport/(root)/C/")
                    .asNormalizedText()
                    .contains("passes"));
            assertTrue(client.goTo(build.getUrl() + "artifact/html/index.html")
                    .asNormalizedText()
                    .contains("published"));
        }
    }

    @Test
    void replayedBuildHasItsOwnArtifacts() throws Exception {
        WorkflowJob job = pipeline(
                "node('" + agent.getNodeName() + "') { writeFile file: 'a', text: 'one'; archiveArtifacts 'a' }");
        WorkflowRun first = r.buildAndAssertSuccess(job);
        ReplayAction replay = first.getAction(ReplayAction.class);
        replay.run(replay.getOriginalScript().replace("one", "two"), Map.of());
        r.waitUntilNoActivity();
        WorkflowRun second = r.assertBuildStatusSuccess(job.getBuildByNumber(2));
        assertPacked(second);
        assertEquals("one", text(first, "a"));
        assertEquals("two", text(second, "a"));
    }

    /** The restarted build gets the artifacts of the stages that it does not repeat. */
    @Test
    void restartedBuildHasArtifactsOfEarlierStages() throws Exception {
        WorkflowJob job = pipeline("""
            pipeline {
                agent none
                options { preserveStashes(buildCount: 2) }
                stages {
                    stage('one') {
                        agent { label 'AGENT' }
                        steps {
                            writeFile file: 'd/a', text: 'first'
                            writeFile file: 'b', text: 'first'
                            archiveArtifacts '**'
                            stash 'x'
                        }
                    }
                    stage('two') {
                        agent { label 'AGENT' }
                        steps {
                            deleteDir()
                            unstash 'x'
                            writeFile file: 'b', text: 'second'
                            archiveArtifacts 'b'
                        }
                    }
                }
            }
            """.replace("AGENT", agent.getNodeName()));
        WorkflowRun first = r.buildAndAssertSuccess(job);
        RestartDeclarativePipelineAction restart = first.getAction(RestartDeclarativePipelineAction.class);
        assertNotNull(restart);
        restart.run("two");
        r.waitUntilNoActivity();
        WorkflowRun second = r.assertBuildStatusSuccess(job.getBuildByNumber(2));
        r.assertLogContains("Copying 2 artifact(s) from #1", second);
        assertEquals(Set.of("b", "d/a"), names(second));
        assertEquals("first", text(second, "d/a"));
        assertEquals("second", text(second, "b"));
    }

    /** Plain files are newer than packed ones. */
    @Test
    void copyOfABuildHasPackedAndPlainArtifacts() throws Exception {
        WorkflowJob job = pipeline("node('" + agent.getNodeName()
                + "') { writeFile file: 'a', text: 'packed'; writeFile file: 'd/b', text: 'packed'; archiveArtifacts"
                + " '**' }\n"
                + "node('built-in') { writeFile file: 'a', text: 'plain'; archiveArtifacts 'a' }");
        WorkflowRun from = r.buildAndAssertSuccess(job);
        WorkflowRun to = r.buildAndAssertSuccess(pipeline("echo 'empty'"));
        ((StashManager.StashAwareArtifactManager) from.getArtifactManager())
                .copyAllArtifactsAndStashes(to, StreamTaskListener.fromStdout());
        assertEquals(Set.of("a", "d/b"), names(to));
        assertEquals("plain", text(to, "a"));
        assertEquals("packed", text(to, "d/b"));
    }

    @Test
    void fingerprintsAreThoseOfTheContents() throws Exception {
        FreeStyleProject job = r.createFreeStyleProject();
        job.setAssignedNode(agent);
        ArtifactArchiver archiver = new ArtifactArchiver("**");
        archiver.setFingerprint(true);
        job.getPublishersList().add(archiver);
        FileTrees.write(workspaceOf(agent, job), "d/a", "content of a");
        FreeStyleBuild build = r.buildAndAssertSuccess(job);
        assertPacked(build);
        Fingerprint print = r.jenkins._getFingerprint(DigestUtils.md5Hex(text(build, "d/a")));
        assertNotNull(print);
        assertEquals("a", print.getFileName());
        assertTrue(print.getOriginal().is(build));
    }

    @Test
    void discardedArtifactsAreDeletedAndKeptOnesStay() throws Exception {
        FreeStyleProject job = archiving(agent);
        job.setBuildDiscarder(new LogRotator(-1, -1, -1, 1));
        FileTrees.write(workspaceOf(agent, job), "a", "content");
        FreeStyleBuild kept = r.buildAndAssertSuccess(job);
        kept.keepLog(true);
        FreeStyleBuild discarded = r.buildAndAssertSuccess(job);
        assertPacked(discarded);
        FreeStyleBuild last = r.buildAndAssertSuccess(job);
        job.logRotate();
        assertEquals("content", text(kept, "a"));
        assertEquals("content", text(last, "a"));
        assertEquals(Set.of(), names(discarded));
        Path archive = archiveOf(discarded);
        assertFalse(Files.exists(archive), () -> archive + " exists");
    }
}
