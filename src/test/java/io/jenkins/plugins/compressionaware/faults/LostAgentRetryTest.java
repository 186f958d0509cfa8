package io.jenkins.plugins.compressionaware.faults;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import hudson.model.Computer;
import hudson.model.FreeStyleProject;
import hudson.model.Job;
import hudson.model.Result;
import hudson.model.Run;
import hudson.model.Slave;
import hudson.slaves.OfflineCause;
import hudson.tasks.ArtifactArchiver;
import io.jenkins.plugins.compressionaware.testing.CuttingProxy;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.SparseFile;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import io.jenkins.plugins.compressionaware.testing.jenkins.TestStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import jenkins.model.ArtifactManagerConfiguration;
import org.awaitility.core.ConditionTimeoutException;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.jvnet.hudson.test.JenkinsRule;

/** The agent is lost in the middle of a transfer: a conditional retry continues on another agent, as it does with Jenkins' own transfers. */
@Timeout(7200)
class LostAgentRetryTest extends JenkinsTestBase {
    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    /** Length of a file whose transfer takes long enough, bytes. */
    private static final long LARGE = 20L << 30;

    /** Length of a file that the plugin packs before it is fetched, bytes: a copy may use a quarter of the free space. */
    private static final long LARGE_FETCH = 4L << 30;

    /** Length of a file that the test itself must stash first, bytes. */
    private static final long LARGE_STASH = 1L << 30;

    private static final OfflineCause LATER = new OfflineCause.ByCLI("used by the second attempt");

    private enum Loss {
        KILLED,
        DISCONNECTED,
        REMOVED;

        void strike(JenkinsRule r, AgentProcess agent) throws Exception {
            switch (this) {
                case KILLED -> agent.kill();
                case DISCONNECTED -> agent.agent.toComputer().disconnect(new OfflineCause.ByCLI("test"));
                default -> r.jenkins.removeNode(agent.agent);
            }
        }
    }

    /** A step that transfers the file {@code $FILE} of the folder {@code from}, or to the folder {@code to}. */
    private enum Step {
        ARCHIVE("ws('%1$s/from') { archiveArtifacts FILE }"),
        STASH("ws('%1$s/from') { stash name: 's', includes: FILE }"),
        UNSTASH("ws('%1$s/to') { unstash FILE }"),
        FETCH("ws('%1$s/to') { %2$s projectName: '%3$s', filter: FILE }");

        private final String script;

        Step(String script) {
            this.script = script;
        }
    }

    /**
     * Cases, each a step of a Pipeline with and without this plugin. Jenkins' own archive from an agent that was disconnected or removed is no case: some
     * builds are retried, others fail. Some of its copies wait for a lost agent without end, and skip their case.
     */
    private static final String STEPS = """
        KILLED, ARCHIVE, false
        KILLED, ARCHIVE, true
        KILLED, STASH, false
        KILLED, STASH, true
        KILLED, UNSTASH, false
        KILLED, UNSTASH, true
        KILLED, FETCH, false
        KILLED, FETCH, true
        DISCONNECTED, ARCHIVE, true
        DISCONNECTED, STASH, true
        DISCONNECTED, UNSTASH, true
        DISCONNECTED, FETCH, true
        REMOVED, ARCHIVE, true
        REMOVED, STASH, true
        REMOVED, UNSTASH, true
        REMOVED, FETCH, true
        """;

    @TempDir
    private Path folder;

    private Slave survivor;
    private int count;

    private Path tmp;
    private AgentProcess lost;

    /** One Jenkins and one second agent for all cases, because starting them takes longer than a case. */
    @TestFactory
    Stream<DynamicTest> cases() throws Exception {
        survivor = InboundTransport.WEBSOCKET.startNamed("survivor", agents, r);
        Stream<DynamicTest> steps = STEPS.lines().map(line -> {
            String[] words = line.split(", ");
            boolean plugin = Boolean.parseBoolean(words[2]);
            return newCase(line, plugin, () -> pipelineRetries(Loss.valueOf(words[0]), Step.valueOf(words[1]), plugin));
        });
        Stream<DynamicTest> others = Stream.of(Loss.values())
                .flatMap(loss -> Stream.of(
                        newCase(loss + " in Declarative", true, () -> declarativePipelineRetries(loss)),
                        newCase(loss + " in a freestyle job", true, () -> freestyleJobFailsWithOneLine(loss)),
                        newCase(loss + " with a store", true, () -> unfinishedUploadIsDeleted(loss))));
        Stream<DynamicTest> aborts = Stream.of(Step.values())
                .map(step -> newCase("aborted " + step, true, () -> abortedStepIsNotRetried(step)));
        DynamicTest core =
                newCase("KILLED in Declarative, false", false, () -> declarativePipelineRetries(Loss.KILLED));
        return Stream.of(steps, others, aborts, Stream.of(core))
                .flatMap(each -> each)
                .filter(test -> test.getDisplayName().matches(System.getProperty("faults", ".*")));
    }

    private DynamicTest newCase(String name, boolean plugin, Executable test) {
        return DynamicTest.dynamicTest(name, () -> {
            ArtifactManagerConfiguration.get().getArtifactManagerFactories().clear();
            if (plugin) {
                factory.setReconnectSeconds(3);
                usePlugin();
            }
            tmp = Files.createDirectory(folder.resolve("case" + ++count));
            Files.createDirectories(tmp.resolve("to"));
            SparseFile.ofLength(tmp.resolve("from/large"), LARGE);
            SparseFile.ofLength(tmp.resolve("from/small"), 1000);
            lost = new AgentProcess(InboundTransport.WEBSOCKET, r, agents);
            try {
                test.execute();
            } finally {
                stopBuilds();
                agents.stop("websocket");
                if (r.jenkins.getNode("websocket") != null) {
                    r.jenkins.removeNode(lost.agent);
                }
            }
        });
    }

    /** Stops builds of a failed case. An executor that is busy would remove the computer of the next agent of that name when it ends. */
    private void stopBuilds() {
        Computer computer = lost.agent.toComputer();
        for (Job<?, ?> job : r.jenkins.getAllItems(Job.class)) {
            if (job.getLastBuild() != null && job.getLastBuild().getExecutor() != null) {
                job.getLastBuild().getExecutor().interrupt();
            }
        }
        await().atMost(TIMEOUT).until(() -> computer == null || computer.countBusy() == 0);
    }

    private void pipelineRetries(Loss loss, Step step, boolean plugin) throws Exception {
        WorkflowRun build = retrying(step, plugin).scheduleBuild2(0).waitForStart();
        try {
            loseIn(build, loss, step);
        } catch (ConditionTimeoutException e) {
            assumeTrue(plugin, "Jenkins itself still waits for the lost agent");
            throw e;
        }
        String log = log(r.assertBuildStatus(Result.SUCCESS, build));
        assertFalse(plugin && log.contains("\tat "), log);
    }

    /** The first attempt transfers the large file. */
    private WorkflowJob retrying(Step step, boolean plugin) throws Exception {
        String before = "";
        if (step == Step.FETCH) {
            Path archive =
                    archiveOf(r.buildAndAssertSuccess(r.createProject(FreeStyleProject.class, "source" + count)));
            SparseFile.ofLength(archive.resolve("large"), plugin ? LARGE_FETCH : LARGE);
            SparseFile.ofLength(archive.resolve("small"), 1000);
        } else if (step == Step.UNSTASH) {
            SparseFile.ofLength(tmp.resolve("from/large"), LARGE_STASH);
            before = """
                node('survivor') { ws('%s/from') {
                    stash name: 'large', includes: 'large'
                    stash name: 'small', includes: 'small'
                } }
                """.formatted(tmp);
        }
        return pipeline(before
                + """
                int attempt = 0
                retry(count: 2, conditions: [agent()]) {
                    node(attempt++ == 0 ? 'websocket' : 'survivor') {
                        String FILE = attempt == 1 ? 'large' : 'small'
                        %s
                    }
                }
                """.formatted(step.script.formatted(
                        tmp, plugin ? "fetchArtifacts" : "copyArtifacts", "source" + count)));
    }

    private void loseIn(Run<?, ?> build, Loss loss, Step step) throws Exception {
        await().pollInterval(Duration.ofMillis(2)).atMost(TIMEOUT).until(() -> isRunning(build, step));
        loss.strike(r, lost);
        await().atMost(TIMEOUT).until(() -> !build.isBuilding());
    }

    /** Returns whether the receiver has written a part of the file. */
    private boolean isRunning(Run<?, ?> build, Step step) throws IOException {
        if (!build.isBuilding()) {
            throw new AssertionError("The build has ended too early: " + log(build));
        }
        Path folder = step == Step.UNSTASH || step == Step.FETCH
                ? tmp.resolve("to")
                : build.getParent().getRootDir().toPath().resolve("builds");
        try (Stream<Path> files = Files.walk(folder)) {
            return files.anyMatch(
                    file -> (file.endsWith("large") || file.toString().contains("/stashes/"))
                            && file.toFile().length() > 0);
        } catch (UncheckedIOException | NoSuchFileException e) { // a file was renamed meanwhile
            return false;
        }
    }

    private static String log(Run<?, ?> build) {
        try {
            return JenkinsRule.getLog(build);
        } catch (Exception e) {
            return e.toString();
        }
    }

    private void declarativePipelineRetries(Loss loss) throws Exception {
        WorkflowJob job = pipeline("""
            pipeline {
                agent { node { label 'websocket || survivor'; customWorkspace '%s/from'; retries 2 } }
                stages { stage('s') { steps {
                    archiveArtifacts "${env.NODE_NAME == 'survivor' ? 'small' : 'large'}"
                } } }
            }
            """.formatted(tmp));
        survivor.toComputer().setTemporaryOfflineCause(LATER);
        WorkflowRun build = job.scheduleBuild2(0).waitForStart();
        await().pollInterval(Duration.ofMillis(2)).atMost(TIMEOUT).until(() -> isRunning(build, Step.ARCHIVE));
        survivor.toComputer().setTemporaryOfflineCause(null);
        loseIn(build, loss, Step.ARCHIVE);
        r.assertBuildStatus(Result.SUCCESS, build);
    }

    /** Freestyle jobs have no conditional retry, but the log has one line. */
    private void freestyleJobFailsWithOneLine(Loss loss) throws Exception {
        FreeStyleProject job = r.createFreeStyleProject();
        job.setAssignedNode(lost.agent);
        job.setCustomWorkspace(tmp.resolve("from").toString());
        job.getPublishersList().add(new ArtifactArchiver("large"));
        Run<?, ?> build = job.scheduleBuild2(0).waitForStart();
        loseIn(build, loss, Step.ARCHIVE);
        r.assertBuildStatus(Result.FAILURE, build);
        String log = log(build);
        assertEquals(
                1,
                log.lines()
                        .filter(line -> line.contains("the connection to the agent was lost"))
                        .count(),
                log);
        assertFalse(log.contains("\tat "), log);
    }

    /** The store has only what the second attempt archived. */
    private void unfinishedUploadIsDeleted(Loss loss) throws Exception {
        TestStore store = TestStore.start();
        Files.write(tmp.resolve("from/large"), FileTrees.noise(60_000_000));
        try (CuttingProxy slow = new CuttingProxy(TestStore.port(), 2_000_000)) {
            factory.setStore(store.over(slow.port()).setting());
            WorkflowRun build = retrying(Step.ARCHIVE, true).scheduleBuild2(0).waitForStart();
            await().atMost(TIMEOUT).until(() -> store.unfinished() == 1);
            loss.strike(r, lost);
            await().atMost(TIMEOUT).until(() -> !build.isBuilding());
            r.assertBuildStatus(Result.SUCCESS, build);
            await().untilAsserted(() -> assertEquals(0, store.unfinished()));
            assertEquals(1, store.keys().size());
            assertEquals(1000, build.getArtifactManager().root().child("small").length());
        } finally {
            factory.setStore(null);
        }
    }

    /** An abort is not a lost agent. */
    private void abortedStepIsNotRetried(Step step) throws Exception {
        WorkflowRun build = retrying(step, true).scheduleBuild2(0).waitForStart();
        await().pollInterval(Duration.ofMillis(2)).atMost(TIMEOUT).until(() -> isRunning(build, step));
        build.doStop();
        await().atMost(TIMEOUT).until(() -> !build.isBuilding());
        String log = log(r.assertBuildStatus(Result.ABORTED, build));
        assertFalse(log.contains("Retrying"), log);
    }
}
