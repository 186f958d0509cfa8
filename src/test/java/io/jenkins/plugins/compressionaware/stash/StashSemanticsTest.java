package io.jenkins.plugins.compressionaware.stash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.ExtensionList;
import hudson.model.Result;
import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.report.TransferListener;
import io.jenkins.plugins.compressionaware.report.TransferProgress;
import io.jenkins.plugins.compressionaware.testkit.Trees;
import io.jenkins.plugins.compressionaware.testkit.jenkins.Agents;
import io.jenkins.plugins.compressionaware.testkit.jenkins.OnJenkins;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import jenkins.model.ArtifactManagerConfiguration;
import org.awaitility.Awaitility;
import org.jenkinsci.plugins.pipeline.modeldefinition.actions.RestartDeclarativePipelineAction;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.cps.replay.ReplayAction;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.jvnet.hudson.test.JenkinsRule;

/** Stashes of Pipelines that are run again, run at the same time, or do not run to their end. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class StashSemanticsTest extends OnJenkins {
    private final CompressionAwareArtifactManagerFactory factory = new CompressionAwareArtifactManagerFactory();
    private Slave agent;

    @BeforeEach
    void start() throws Exception {
        agent = Agents.WEBSOCKET.start(agents, r);
    }

    @AfterEach
    void noPartsAreLeft() throws Exception {
        assertEquals(List.of(), Partial.in(r.jenkins.getRootDir().toPath().resolve("jobs")));
        assertEquals(List.of(), Partial.in(Path.of(agent.getRootPath().getRemote())));
    }

    private static void use(boolean plugin, CompressionAwareArtifactManagerFactory factory) throws Exception {
        var factories = ArtifactManagerConfiguration.get().getArtifactManagerFactories();
        factories.clear();
        if (plugin) {
            factories.add(factory);
        }
    }

    private WorkflowJob job(String script) throws Exception {
        WorkflowJob job = r.createProject(WorkflowJob.class);
        job.setDefinition(new CpsFlowDefinition(script.replace("AGENT", agent.getNodeName()), true));
        return job;
    }

    /** What core says, too. */
    private static List<String> said(WorkflowRun build) throws Exception {
        return JenkinsRule.getLog(build)
                .lines()
                .filter(line -> line.matches("Stashed .*|Warning: .*|ERROR: .*|Copying .*|> .*"))
                .toList();
    }

    private record Seen(Result result, List<String> said) {}

    private static Seen seen(WorkflowRun build) throws Exception {
        return new Seen(build.getResult(), said(build));
    }

    private interface Scenario {
        List<Seen> run() throws Exception;
    }

    private void same(Scenario scenario) throws Exception {
        use(false, factory);
        List<Seen> core = scenario.run();
        use(true, factory);
        assertEquals(core, scenario.run());
    }

    @Test
    void preservedAndRestartedFromAStage() throws Exception {
        same(() -> restarted("options { preserveStashes(buildCount: 2) }", Result.SUCCESS));
        same(() -> restarted("", Result.FAILURE));
    }

    private List<Seen> restarted(String options, Result expected) throws Exception {
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
        assertTrue(said(first).contains("> content"), JenkinsRule.getLog(first));
        RestartDeclarativePipelineAction restart = first.getAction(RestartDeclarativePipelineAction.class);
        assertNotNull(restart);
        restart.run("two");
        r.waitUntilNoActivity();
        WorkflowRun second = job.getBuildByNumber(2);
        assertEquals(expected, second.getResult(), JenkinsRule.getLog(second));
        return List.of(seen(first), seen(second));
    }

    @Test
    void replayed() throws Exception {
        same(() -> {
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
            assertEquals(List.of("Stashed 1 file(s)", "> two"), said(second));
            return List.of(seen(first), seen(second));
        });
    }

    /** Each unstash gets what one stash had, whoever replaces it meanwhile. */
    @Test
    void stashedAndUnstashedInParallelByOneName() throws Exception {
        use(true, factory);
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
                said(build).stream()
                        .filter(line -> line.equals("Stashed 1 file(s)") || line.equals("Stashed 2 file(s)"))
                        .count());
    }

    @Test
    void overFilesThatMayOnlyBeRead() throws Exception {
        use(true, factory);
        WorkflowRun build = r.buildAndAssertSuccess(job("""
                node('AGENT') {
                    sh 'mkdir d; echo new > d/a; chmod 400 d/a; ln -s a d/link'
                    stash 'x'
                    sh 'rm d/a; echo old > d/a; chmod 400 d/a; ln -sf b d/link'
                    unstash 'x'
                    echo('> ' + sh(returnStdout: true, script: 'cat d/a; stat -c %a d/a; readlink d/link').trim().replace('\\n', ' '))
                }
                """));
        assertEquals(List.of("Stashed 2 file(s)", "> new 400 a"), said(build));
    }

    /** With new files, and with files in the place of others. */
    @ParameterizedTest
    @ValueSource(strings = {"required", "off"})
    void abortedInTheMiddle(String directLane) throws Exception {
        use(true, factory);
        factory.setDirectLane(directLane);
        Path workspace = Path.of(agent.getRootPath().getRemote(), "here");
        Files.createDirectories(workspace);
        byte[] noise = Trees.noise(150_000_000);
        Files.write(workspace.resolve("large"), noise);
        Files.writeString(workspace.resolve("small"), "new");
        WorkflowJob job = job("""
                node('AGENT') { ws('%s') {
                    stash 'x'
                    sh 'rm large; echo old > small'
                    unstash 'x'
                } }
                """.formatted(workspace));
        AbortInTheMiddle aborting = new AbortInTheMiddle(job);
        ExtensionList.lookup(TransferListener.class).add(aborting);
        WorkflowRun build = job.scheduleBuild2(0).get();
        assertEquals(Result.ABORTED, build.getResult(), JenkinsRule.getLog(build));
        long took = System.nanoTime() - aborting.at;
        assertTrue(TimeUnit.NANOSECONDS.toSeconds(took) < 30, took + " ns");
        // the agent hears of it a little later
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertEquals(List.of(), Partial.in(workspace.getParent())));
        assertFalse(Files.exists(workspace.resolve("large")));
        assertEquals("old\n", Files.readString(workspace.resolve("small")));
    }

    private static final class AbortInTheMiddle extends TransferListener {
        private final WorkflowJob job;
        private final List<Thread> threads = new ArrayList<>();
        volatile long at;

        AbortInTheMiddle(WorkflowJob job) {
            this.job = job;
        }

        @Override
        public void started(TransferProgress running) {
            if (running.transfer().kind() == Transfer.Kind.UNSTASH) {
                Thread thread = new Thread(() -> {
                    while (running.channelBytes() + running.directBytes() < 10_000_000) {
                        Thread.onSpinWait();
                    }
                    at = System.nanoTime();
                    job.getLastBuild().getExecutor().interrupt();
                });
                threads.add(thread);
                thread.start();
            }
        }
    }
}
