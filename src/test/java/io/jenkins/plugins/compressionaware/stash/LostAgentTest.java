package io.jenkins.plugins.compressionaware.stash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.ExtensionList;
import hudson.model.Result;
import hudson.model.Slave;
import hudson.util.RemotingDiagnostics;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.report.TransferListener;
import io.jenkins.plugins.compressionaware.report.TransferProgress;
import io.jenkins.plugins.compressionaware.testkit.SmallDisk;
import io.jenkins.plugins.compressionaware.testkit.Trees;
import io.jenkins.plugins.compressionaware.testkit.jenkins.Agents;
import io.jenkins.plugins.compressionaware.testkit.jenkins.OnJenkins;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import jenkins.model.ArtifactManagerConfiguration;
import org.jenkinsci.plugins.pipeline.modeldefinition.properties.PreserveStashesJobProperty;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.jvnet.hudson.test.JenkinsRule;

/** An agent whose process dies in the middle of a stash or unstash, or whose disk is full. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class LostAgentTest extends OnJenkins {
    @TempDir
    private Path tmp;

    private final CompressionAwareArtifactManagerFactory factory = new CompressionAwareArtifactManagerFactory();

    @BeforeEach
    void start() throws Exception {
        ArtifactManagerConfiguration.get().getArtifactManagerFactories().add(factory);
    }

    private WorkflowJob job(Path workspace, String script) throws Exception {
        WorkflowJob job = r.createProject(WorkflowJob.class);
        job.setDefinition(new CpsFlowDefinition("node('here') { ws('" + workspace + "') {\n" + script + "\n} }", true));
        return job;
    }

    private static List<String> namesIn(Path folder) throws Exception {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /** The lane, the transport, and in what it dies. */
    @ParameterizedTest
    @CsvSource({"required,WEBSOCKET,STASH", "off,WEBSOCKET,UNSTASH", "off,TCP,STASH", "required,TCP,UNSTASH"})
    void killed(String directLane, Agents transport, Transfer.Kind kind) throws Exception {
        factory.setDirectLane(directLane);
        Slave agent = transport.start(agents, r);
        agent.setLabelString("here");
        long pid = Long.parseLong(RemotingDiagnostics.executeGroovy(
                        "println java.lang.management.ManagementFactory.runtimeMXBean.name.split('@')[0]",
                        agent.getChannel())
                .trim());
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        Trees.noise(workspace.resolve("large"), 200_000_000);
        Files.writeString(workspace.resolve("small"), "new");
        WorkflowJob job = job(workspace, "stash 'x'\nsh 'rm large; echo old > small'\nunstash 'x'");
        job.addProperty(new PreserveStashesJobProperty());
        Killer killer = new Killer(pid, kind);
        ExtensionList.lookup(TransferListener.class).add(killer);

        WorkflowRun build = job.scheduleBuild2(0).get();

        String log = JenkinsRule.getLog(build);
        long took = System.nanoTime() - killer.at;
        assertTrue(killer.at != 0, log);
        assertTrue(TimeUnit.NANOSECONDS.toSeconds(took) < 30, took + " ns");
        assertEquals(Result.FAILURE, build.getResult(), log);
        String said = kind == Transfer.Kind.STASH ? "could not be made from " : "could not be unpacked in ";
        String expected = "The stash x " + said + workspace + " on " + agent.getNodeName()
                + ": the connection to the agent was lost";
        assertTrue(log.contains(expected), log);
        Path stashes = build.getRootDir().toPath().resolve("stashes");
        assertEquals(kind == Transfer.Kind.STASH ? List.of() : List.of("x.tar.zst"), namesIn(stashes));
        if (kind == Transfer.Kind.UNSTASH) {
            assertFalse(Files.exists(workspace.resolve("large")));
            assertEquals("old\n", Files.readString(workspace.resolve("small")));
        }
    }

    private static final class Killer extends TransferListener {
        private final long pid;
        private final Transfer.Kind kind;
        volatile long at;

        Killer(long pid, Transfer.Kind kind) {
            this.pid = pid;
            this.kind = kind;
        }

        @Override
        public void started(TransferProgress running) {
            if (running.transfer().kind() == kind) {
                Thread thread = new Thread(() -> {
                    while (running.channelBytes() + running.directBytes() < 10_000_000) {
                        Thread.onSpinWait();
                    }
                    at = System.nanoTime();
                    ProcessHandle.of(pid).orElseThrow().destroyForcibly();
                });
                thread.setDaemon(true);
                thread.start();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"required", "off"})
    void diskIsFull(String directLane) throws Exception {
        factory.setDirectLane(directLane);
        Agents.WEBSOCKET.start(agents, r).setLabelString("here");
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        Trees.noise(workspace.resolve("large"), 6_000_000);
        Files.writeString(workspace.resolve("small"), "new");
        try (SmallDisk disk = SmallDisk.mount(tmp.resolve("disk"), 4)) {
            Files.writeString(disk.folder().resolve("small"), "old");
            WorkflowJob job = job(workspace, "stash 'x'\nws('" + disk.folder() + "') { unstash 'x' }");
            WorkflowRun build = r.buildAndAssertStatus(Result.FAILURE, job);
            String log = JenkinsRule.getLog(build);
            assertTrue(
                    log.contains("The stash x could not be unpacked in " + disk.folder() + " on ")
                            && log.contains("Cannot write large: No space left on device"),
                    log);
            assertEquals(List.of("small"), namesIn(disk.folder()));
            assertEquals("old", Files.readString(disk.folder().resolve("small")));
        }
    }

    /** So little that it comes with one call to an agent that has nothing of this plugin. */
    @Test
    void diskIsFullOfAFreshAgent() throws Exception {
        Agents.WEBSOCKET.startNamed("first", agents, r).setLabelString("here");
        Agents.WEBSOCKET.startNamed("fresh", agents, r);
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        Files.write(workspace.resolve("zeros"), new byte[1_200_000]);
        try (SmallDisk disk = SmallDisk.mount(tmp.resolve("disk"), 1)) {
            WorkflowJob job =
                    job(workspace, "stash 'x'\nnode('fresh') { ws('" + disk.folder() + "') { unstash 'x' } }");
            WorkflowRun build = r.buildAndAssertStatus(Result.FAILURE, job);
            r.assertLogContains("Cannot write zeros: No space left on device", build);
            assertEquals(List.of(), namesIn(disk.folder()));
        }
    }
}
