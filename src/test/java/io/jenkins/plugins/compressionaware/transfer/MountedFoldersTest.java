package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.MountedFileSystem;
import io.jenkins.plugins.compressionaware.testing.jenkins.Agents;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.jvnet.hudson.test.junit.jupiter.InboundAgentExtension;

/** Agents whose administrators have mounted folders in ways that a program may stumble over. Everything goes there and back all the same. */
@Timeout(600)
class MountedFoldersTest extends JenkinsTestBase {
    @TempDir
    private Path tmp;

    private Path workspace(String name, int bytes) throws Exception {
        Path workspace = Files.createDirectory(tmp.resolve(name));
        Files.writeString(workspace.resolve("text"), "the quick brown fox\n".repeat(bytes / 40));
        Files.write(workspace.resolve("noise"), FileTrees.noise(bytes / 2));
        for (int i = 0; i < 50; i++) {
            Files.writeString(workspace.resolve("small" + i), "small " + i);
        }
        return workspace;
    }

    /** Fails unless all of it is everywhere; the build. */
    private WorkflowRun thereAndBack(Slave agent, Path from) throws Exception {
        Path to = from.resolveSibling(from.getFileName() + "-to");
        Path fetched = from.resolveSibling(from.getFileName() + "-fetched");
        WorkflowJob job = r.createProject(WorkflowJob.class);
        job.setDefinition(
                new CpsFlowDefinition("""
                node('%s') {
                    ws('%s') { archiveArtifacts '**'; stash 'x' }
                    ws('%s') { unstash 'x' }
                    ws('%s') { fetchArtifacts projectName: '%s', selector: specific(env.BUILD_NUMBER) }
                }
                """.formatted(agent.getNodeName(), from, to, fetched, job.getName()), true));
        WorkflowRun build = r.buildAndAssertSuccess(job);
        Map<String, String> tree = FileTrees.describe(from);
        assertEquals(
                tree,
                FileTrees.describe(Path.of(build.getArtifactManager().root().toURI())));
        assertEquals(tree, FileTrees.describe(to));
        assertEquals(tree, FileTrees.describe(fetched));
        return build;
    }

    /** Zstd's native code cannot be loaded from there. With <i>auto</i> nobody tries if that does not pay on a busy machine. */
    @ParameterizedTest
    @CsvSource({"auto, ''", "zstd, 'zstd does not load on this agent; using lz4: java.lang.UnsatisfiedLinkError: '"})
    void temporaryFolderIsNoexec(String codec, String says) throws Exception {
        factory.setCodec(codec);
        usePlugin();
        try (MountedFileSystem disk = MountedFileSystem.noexec(tmp.resolve("noexec"))) {
            Slave agent = Agents.WEBSOCKET.start(agents, r, "-Djava.io.tmpdir=" + disk.folder());
            WorkflowRun build = thereAndBack(agent, workspace("large", 40_000_000));
            r.assertLogContains(says, build);
            thereAndBack(agent, workspace("little", 1_000));
        }
    }

    /** An agent on which zstd works has made the stash. Core would unpack it on either. */
    @Test
    void stashOfAnotherAgentIsUnpackedWithoutNativeCode() throws Exception {
        factory.setCodec("zstd");
        usePlugin();
        Path from = workspace("from", 40_000_000);
        Path to = tmp.resolve("to");
        try (MountedFileSystem disk = MountedFileSystem.noexec(tmp.resolve("noexec"))) {
            Slave maker = Agents.TCP.start(agents, r);
            Slave agent = Agents.WEBSOCKET.start(agents, r, "-Djava.io.tmpdir=" + disk.folder());
            WorkflowJob job = pipeline("""
                    node('%s') { ws('%s') { stash 'x' } }
                    for (int i = 0; i < 2; i++) { node('%s') { ws('%s') { deleteDir(); unstash 'x' } } }
                    """.formatted(maker.getNodeName(), from, agent.getNodeName(), to));
            WorkflowRun build = r.buildAndAssertSuccess(job);
            assertEquals(FileTrees.describe(from), FileTrees.describe(to));
            r.assertLogContains(
                    "zstd does not load on this agent; using gzip: java.lang.UnsatisfiedLinkError: ", build);
        }
        try (Stream<Path> left = Files.list(StartupCleanup.homeFolder("packed"))) {
            assertEquals(List.of(), left.toList());
        }
    }

    /** What remoting keeps of classes and jars has its place there, as have the workspaces that no step moves elsewhere. */
    @ParameterizedTest
    @ValueSource(ints = {1_000, 40_000_000})
    void homeIsReadOnly(int bytes) throws Exception {
        usePlugin();
        Slave agent = agents.createAgent(
                r,
                InboundAgentExtension.Options.newBuilder()
                        .name("agent")
                        .skipStart()
                        .build());
        Path home = Path.of(agent.getRemoteFS());
        Path remoting = Files.createDirectories(home.resolve("remoting"));
        // no jar may come in before: remoting touches it for each class, and fails if it cannot
        try (MountedFileSystem none = MountedFileSystem.full(remoting.resolve("jarCache"))) {
            agents.start(
                    r,
                    InboundAgentExtension.Options.newBuilder()
                            .name("agent")
                            .webSocket()
                            .build());
            agent.toComputer().getEnvironment(); // or core asks for it while the folder turns read-only
            try (MountedFileSystem disk = MountedFileSystem.readOnly(home)) {
                assertFalse(Files.isWritable(disk.folder()));
                WorkflowRun build = thereAndBack(agent, workspace("from", bytes));
                r.assertLogNotContains("does not work", build);
            }
        }
    }
}
