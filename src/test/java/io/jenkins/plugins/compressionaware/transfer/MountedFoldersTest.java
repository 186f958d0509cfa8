package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import hudson.model.Result;
import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.MountedFileSystem;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jenkinsci.plugins.workflow.job.WorkflowJob;
import org.jenkinsci.plugins.workflow.job.WorkflowRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.jvnet.hudson.test.junit.jupiter.InboundAgentExtension;

/** Agents whose folders are noexec, read-only or missing archive, stash, unstash and fetch all files. */
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

    /** Archives, stashes, unstashes and fetches the files, compares all copies, and returns the build. */
    private WorkflowRun roundTrip(Slave agent, Path from) throws Exception {
        Path to = from.resolveSibling(from.getFileName() + "-to");
        Path fetched = from.resolveSibling(from.getFileName() + "-fetched");
        WorkflowJob job = pipeline("""
            node('%s') {
                ws('%s') { archiveArtifacts '**'; stash 'x' }
                ws('%s') { unstash 'x' }
                ws('%s') { fetchArtifacts projectName: env.JOB_NAME, selector: specific(env.BUILD_NUMBER) }
            }
            """.formatted(agent.getNodeName(), from, to, fetched));
        WorkflowRun build = r.buildAndAssertSuccess(job);
        Map<String, String> tree = FileTrees.describe(from);
        assertEquals(tree, FileTrees.describe(archiveOf(build)));
        assertEquals(tree, FileTrees.describe(to));
        assertEquals(tree, FileTrees.describe(fetched));
        return build;
    }

    /** Native code cannot be loaded from there, but lz4 works. With <i>auto</i>, zstd is loaded only if it pays off. */
    @ParameterizedTest
    @CsvSource({
        "auto, ''",
        "lz4, '; lz4'",
        "zstd, 'zstd does not load on this agent; using gzip: java.lang.UnsatisfiedLinkError: '"
    })
    void roundTripWorksWithNoexecTemporaryFolder(String codec, String message) throws Exception {
        factory.setCodec(codec);
        usePlugin();
        try (MountedFileSystem disk = MountedFileSystem.noexec(tmp.resolve("noexec"))) {
            Slave agent = InboundTransport.WEBSOCKET.start(agents, r, "-Djava.io.tmpdir=" + disk.folder());
            WorkflowRun build = roundTrip(agent, workspace("large", 40_000_000));
            r.assertLogContains(message, build);
            roundTrip(agent, workspace("tiny", 1_000));
        }
    }

    /** Another agent, on which zstd works, makes the stash; core would unpack its own format on both. */
    @Test
    void stashOfAnotherAgentIsUnpackedWithoutNativeCode() throws Exception {
        factory.setCodec("zstd");
        usePlugin();
        Path from = workspace("from", 40_000_000);
        Path to = tmp.resolve("to");
        try (MountedFileSystem disk = MountedFileSystem.noexec(tmp.resolve("noexec"))) {
            Slave maker = InboundTransport.TCP.start(agents, r);
            Slave agent = InboundTransport.WEBSOCKET.start(agents, r, "-Djava.io.tmpdir=" + disk.folder());
            WorkflowJob job = pipeline("""
                node('%s') { ws('%s') { stash 'x' } }
                for (int i = 0; i < 2; i++) { node('%s') { ws('%s') { deleteDir(); unstash 'x' } } }
                """.formatted(maker.getNodeName(), from, agent.getNodeName(), to));
            WorkflowRun build = r.buildAndAssertSuccess(job);
            assertEquals(FileTrees.describe(from), FileTrees.describe(to));
            r.assertLogContains(
                    "zstd does not load on this agent; using gzip: java.lang.UnsatisfiedLinkError: ", build);
        }
        assertEquals(List.of(), FileTrees.list(StartupCleanup.homeFolder("packed")));
    }

    /** The agent cannot decode the stash, and there is no space for a copy that it can. */
    @Test
    void unstashFailsWithOneLineIfRequiredCopyHasNoSpace() throws Exception {
        factory.setCodec("zstd");
        usePlugin();
        Path packed = StartupCleanup.homeFolder("packed");
        Files.delete(packed);
        try (MountedFileSystem full = MountedFileSystem.small(packed, 1);
                MountedFileSystem noexec = MountedFileSystem.noexec(tmp.resolve("noexec"))) {
            Slave maker = InboundTransport.TCP.start(agents, r);
            Slave agent = InboundTransport.WEBSOCKET.start(agents, r, "-Djava.io.tmpdir=" + noexec.folder());
            WorkflowJob job = pipeline("node('%s') { ws('%s') { stash 'x' } }\nnode('%s') { ws('%s') { unstash 'x' } }"
                    .formatted(
                            maker.getNodeName(),
                            workspace("from", 40_000_000),
                            agent.getNodeName(),
                            tmp.resolve("to")));
            WorkflowRun build = r.buildAndAssertStatus(Result.FAILURE, job);
            r.assertLogContains("The stash x could not be unpacked in " + tmp.resolve("to"), build);
            r.assertLogContains("Not enough disk space in " + full.folder() + " to compress", build);
            r.assertLogNotContains("\tat ", build);
            assertEquals(List.of(), FileTrees.list(full.folder()));
        }
    }

    /** Remoting's cache of classes and jars and the default workspaces are in the home folder. */
    @ParameterizedTest
    @ValueSource(ints = {1_000, 40_000_000})
    void roundTripWorksWithReadOnlyHome(int bytes) throws Exception {
        usePlugin();
        Slave agent = agents.createAgent(
                r,
                InboundAgentExtension.Options.newBuilder()
                        .name("agent")
                        .skipStart()
                        .build());
        Path home = Path.of(agent.getRemoteFS());
        Path remoting = Files.createDirectories(home.resolve("remoting"));
        // remoting touches a cached jar for each class, and fails if it cannot, so no jar may be cached before
        try (MountedFileSystem none = MountedFileSystem.full(remoting.resolve("jarCache"))) {
            agents.start(
                    r,
                    InboundAgentExtension.Options.newBuilder()
                            .name("agent")
                            .webSocket()
                            .build());
            agent.toComputer().getEnvironment(); // otherwise core queries it while the folder becomes read-only
            try (MountedFileSystem disk = MountedFileSystem.readOnly(home)) {
                assertFalse(Files.isWritable(disk.folder()));
                WorkflowRun build = roundTrip(agent, workspace("from", bytes));
                r.assertLogNotContains("does not work", build);
            }
        }
    }

    /** Jars cannot be sent ahead, so Remoting loads each class. With one bootstrap call each, and with the engine. */
    @ParameterizedTest
    @ValueSource(ints = {1_000, 12_000_000})
    void stashAndUnstashWorkWithoutTemporaryFolder(int bytes) throws Exception {
        usePlugin();
        Slave agent = InboundTransport.TCP.start(agents, r, "-Djava.io.tmpdir=" + tmp.resolve("missing"));
        Path from = workspace("from", bytes);
        Path to = tmp.resolve("to");
        r.buildAndAssertSuccess(pipeline("node('%s') { ws('%s') { stash 'x' }; ws('%s') { unstash 'x' } }"
                .formatted(agent.getNodeName(), from, to)));
        assertEquals(FileTrees.describe(from), FileTrees.describe(to));
    }

    /** The agent that unstashes cannot load zstd. */
    @Test
    void zstdStashIsUnstashedWithoutTemporaryFolder() throws Exception {
        usePlugin();
        Slave writer = InboundTransport.TCP.startNamed("writer", agents, r);
        Slave reader = InboundTransport.TCP.start(agents, r, "-Djava.io.tmpdir=" + tmp.resolve("missing"));
        Path from = workspace("from", 12_000_000);
        Path to = tmp.resolve("to");
        WorkflowRun build = r.buildAndAssertSuccess(
                pipeline("node('%s') { ws('%s') { stash 'x' } }\nnode('%s') { ws('%s') { unstash 'x' } }"
                        .formatted(writer.getNodeName(), from, reader.getNodeName(), to)));
        assertEquals(FileTrees.describe(from), FileTrees.describe(to));
        r.assertLogContains("zstd does not load on this agent; using gzip: ", build);
    }

    /** The stash is small enough for one bootstrap call. {@code FaultMatrixTest} covers agents that are not fresh. */
    @Test
    void unstashOnFreshAgentFailsOnFullDisk() throws Exception {
        usePlugin();
        InboundTransport.WEBSOCKET.startNamed("first", agents, r).setLabelString("here");
        InboundTransport.WEBSOCKET.startNamed("fresh", agents, r);
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        Files.write(workspace.resolve("zeros"), new byte[1_200_000]);
        try (MountedFileSystem disk = MountedFileSystem.small(tmp.resolve("disk"), 1)) {
            WorkflowJob job = pipeline("node('here') { ws('" + workspace + "') { stash 'x' } }\n"
                    + "node('fresh') { ws('" + disk.folder() + "') { unstash 'x' } }");
            WorkflowRun build = r.buildAndAssertStatus(Result.FAILURE, job);
            r.assertLogContains("Cannot write zeros: No space left on device", build);
            assertEquals(List.of(), FileTrees.list(disk.folder()));
        }
    }
}
