package io.jenkins.plugins.compressionaware.stash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.Result;
import hudson.model.TaskListener;
import io.jenkins.plugins.compressionaware.provisioning.AgentProfile;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import jenkins.model.ArtifactManagerConfiguration;
import org.jenkinsci.plugins.pipeline.modeldefinition.actions.RestartDeclarativePipelineAction;
import org.jenkinsci.plugins.workflow.cps.replay.ReplayAction;
import org.jenkinsci.plugins.workflow.flow.StashManager;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.jvnet.hudson.test.JenkinsRule;

/** Tests stashes of Pipelines that are restarted, replayed or run branches in parallel on one or several agents. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class StashSemanticsTest extends StashTestBase {
    private static final int AGENTS = 10;

    @TempDir
    private Path tmp;

    private void use(boolean plugin) throws Exception {
        ArtifactManagerConfiguration.get().getArtifactManagerFactories().clear();
        if (plugin) {
            usePlugin();
        }
    }

    private WorkflowJob job(String script) throws Exception {
        return pipeline(script.replace("AGENT", agent.getNodeName()));
    }

    /** Returns the messages that core logs as well. */
    private static List<String> messages(WorkflowRun build) throws Exception {
        return JenkinsRule.getLog(build)
                .lines()
                .filter(line -> line.matches("Stashed .*|Warning: .*|ERROR: .*|Copying .*|> .*"))
                .toList();
    }

    private record Outcome(Result result, List<String> messages) {}

    private static Outcome outcome(WorkflowRun build) throws Exception {
        return new Outcome(build.getResult(), messages(build));
    }

    private void assertSameAsCore(Callable<List<Outcome>> scenario) throws Exception {
        use(false);
        List<Outcome> core = scenario.call();
        use(true);
        assertEquals(core, scenario.call());
    }

    @Test
    void stageRestartReadsOnlyPreservedStashes() throws Exception {
        assertSameAsCore(() -> restarted("options { preserveStashes(buildCount: 2) }", Result.SUCCESS));
        assertSameAsCore(() -> restarted("", Result.FAILURE));
    }

    private List<Outcome> restarted(String options, Result expected) throws Exception {
        WorkflowJob job = job("""
            pipeline {
                agent none
                %s
                stages {
                    stage('one') {
                        agent { label 'AGENT' }
                        steps {
                            writeFile file: 'a', text: 'content'
                            stash 'x'
                            archiveArtifacts 'a'
                        }
                    }
                    stage('two') {
                        agent { label 'AGENT' }
                        steps {
                            deleteDir()
                            unstash 'x'
                            echo('> ' + readFile('a'))
                        }
                    }
                }
            }
            """.formatted(options));
        WorkflowRun first = r.buildAndAssertSuccess(job);
        assertTrue(messages(first).contains("> content"), JenkinsRule.getLog(first));
        RestartDeclarativePipelineAction restart = first.getAction(RestartDeclarativePipelineAction.class);
        assertNotNull(restart);
        restart.run("two");
        r.waitUntilNoActivity();
        WorkflowRun second = job.getBuildByNumber(2);
        assertEquals(expected, second.getResult(), JenkinsRule.getLog(second));
        return List.of(outcome(first), outcome(second));
    }

    @Test
    void replayStoresNewContent() throws Exception {
        assertSameAsCore(() -> {
            WorkflowJob job = job("""
                node('AGENT') {
                    writeFile file: 'a', text: 'one'
                    stash 'x'
                    deleteDir()
                    unstash 'x'
                    echo('> ' + readFile('a'))
                }
                """);
            WorkflowRun first = r.buildAndAssertSuccess(job);
            ReplayAction replay = first.getAction(ReplayAction.class);
            replay.run(replay.getOriginalScript().replace("one", "two"), Map.of());
            r.waitUntilNoActivity();
            WorkflowRun second = job.getBuildByNumber(2);
            assertEquals(List.of("Stashed 1 file(s)", "> two"), messages(second));
            return List.of(outcome(first), outcome(second));
        });
    }

    @Test
    void parallelUnstashReadsFilesOfOneStash() throws Exception {
        use(true);
        WorkflowRun build = r.buildAndAssertSuccess(job("""
            def branches = [:]
            for (int i = 0; i < 4; i++) {
                def n = "${i}"
                branches[n] = {
                    node('AGENT') {
                        for (int round = 0; round < 3; round++) {
                            dir(n) {
                                writeFile file: 'a', text: (n * 100000)
                                writeFile file: 'b', text: (n * 300000)
                                stash 'x'
                            }
                            dir(n + '-out') {
                                unstash 'x'
                                def a = readFile('a')
                                def b = readFile('b')
                                if (a * 3 != b) { error('not of one stash') }
                            }
                        }
                    }
                }
            }
            parallel branches
            """));
        assertEquals(
                12,
                messages(build).stream()
                        .filter(line -> line.equals("Stashed 1 file(s)") || line.equals("Stashed 2 file(s)"))
                        .count());
    }

    /** A build may archive a link that leads nowhere on its agent, but to a folder of the controller. */
    @Test
    void restartCopiesNothingBehindLinks() throws Exception {
        usePlugin();
        WorkflowJob job = pipeline("node { writeFile file: 'a', text: 'x'; archiveArtifacts 'a' }");
        WorkflowRun from = r.buildAndAssertSuccess(job);
        WorkflowRun to = r.buildAndAssertSuccess(job);
        FileTrees.write(tmp, "outside/key", "secret");
        Files.createSymbolicLink(from.getArtifactsDir().toPath().resolve("d"), tmp.resolve("outside"));
        StashManager.StashAwareArtifactManager artifacts =
                (StashManager.StashAwareArtifactManager) from.getArtifactManager();
        IOException refused =
                assertThrows(IOException.class, () -> artifacts.copyAllArtifactsAndStashes(to, TaskListener.NULL));
        assertEquals("Refused d/key: it leaves the archive folder", refused.getMessage());
    }

    /** All agents together get two and a half times the controller's heap: more takes minutes, because a test's JVM has no fast AES. */
    @Test
    void parallelUnstashesDoNotKeepFileInHeap() throws Exception {
        usePlugin();
        for (int i = 0; i < AGENTS; i++) {
            (i % 2 == 0 ? InboundTransport.TCP : InboundTransport.WEBSOCKET).startNamed("one" + i, agents, r);
        }
        long size = Runtime.getRuntime().maxMemory() / 4;
        Path sum = Files.createDirectory(tmp.resolve("sums"));
        WorkflowJob job = pipeline("""
            node('one0') {
                sh 'head -c %d /dev/urandom > noise; cksum < noise > %s/expected'
                stash 'x'
                deleteDir()
            }
            def each = [:]
            for (int i = 0; i < %d; i++) {
                def name = "one${i}"
                each[name] = { node(name) {
                    unstash 'x'
                    sh "cksum < noise > %s/${name}"
                    deleteDir()
                } }
            }
            parallel each\
            """.formatted(size, sum, AGENTS, sum));

        WorkflowRun build = r.buildAndAssertSuccess(job);

        for (int i = 0; i < AGENTS; i++) {
            String agent = "one" + i;
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
