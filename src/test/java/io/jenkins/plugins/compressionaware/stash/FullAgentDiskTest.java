package io.jenkins.plugins.compressionaware.stash;

import static org.junit.jupiter.api.Assertions.assertEquals;

import hudson.model.Result;
import io.jenkins.plugins.compressionaware.CompressionAwareArtifactManagerFactory;
import io.jenkins.plugins.compressionaware.testkit.SmallDisk;
import io.jenkins.plugins.compressionaware.testkit.jenkins.Agents;
import io.jenkins.plugins.compressionaware.testkit.jenkins.OnJenkins;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import jenkins.model.ArtifactManagerConfiguration;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A fresh agent whose disk is full; other agents are in {@code FaultMatrixTest}. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class FullAgentDiskTest extends OnJenkins {
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
