package io.jenkins.plugins.compressionaware.stash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.Result;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import jenkins.model.ArtifactManagerConfiguration;
import org.jenkinsci.plugins.pipeline.modeldefinition.actions.RestartDeclarativePipelineAction;
import org.jenkinsci.plugins.workflow.cps.replay.ReplayAction;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.jvnet.hudson.test.JenkinsRule;

/** Tests stashes of Pipelines that are restarted, replayed or run branches in parallel. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class StashSemanticsTest extends StashTestBase {
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

    private interface Scenario {
        List<Outcome> run() throws Exception;
    }

    private void assertSameAsCore(Scenario scenario) throws Exception {
        use(false);
        List<Outcome> core = scenario.run();
        use(true);
        assertEquals(core, scenario.run());
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
}
