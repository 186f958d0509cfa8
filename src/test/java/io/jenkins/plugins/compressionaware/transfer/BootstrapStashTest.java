package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.FilePath;
import hudson.model.Slave;
import hudson.model.TaskListener;
import io.jenkins.plugins.compressionaware.agent.FileSelection;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileTarInputStream;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveProgress;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stashes of agents without the engine, small and large. */
class BootstrapStashTest extends JenkinsTestBase {
    @TempDir
    private Path temp;

    private final ExecutorService executor = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    private TransferResult stash(Slave agent, Path tree, Path file) throws Exception {
        TransferInfo transfer = new TransferInfo(TransferInfo.Operation.STASH, "job", 1, "agent", "x", 0, null);
        return new UploadTransfer(
                        new FilePath(agent.getChannel(), tree.toString()),
                        TaskListener.NULL.getLogger(),
                        RunningTransfer.withoutListeners(transfer))
                .storeStash(
                        file,
                        temp.resolve("partial"),
                        new FileSelection.ByPattern(null, null, false),
                        GlobalSettings.get().settings(),
                        sent -> {});
    }

    private Map<String, String> unpack(Path file, Path folder) throws Exception {
        try (FrameFile frames = FrameFile.open(file)) {
            FrameFileTarInputStream.unpack(frames, folder, executor, new ReceiveProgress());
        }
        return FileTrees.describe(folder);
    }

    @Test
    void smallStashNeedsFewClassesAndNoLibrary() throws Exception {
        Path classes = temp.resolve("classes");
        Slave agent = InboundTransport.WEBSOCKET.start(agents, r, "-Xlog:class+load:file=" + classes);
        Path tree = temp.resolve("tree");
        FileTrees.noise(tree.resolve("a/tiny"), 5_000);
        FileTrees.noise(tree.resolve("n".repeat(120)), 1);
        Files.setPosixFilePermissions(tree.resolve("a/tiny"), PosixFilePermissions.fromString("r-x------"));
        Files.setLastModifiedTime(tree.resolve("a/tiny"), FileTime.fromMillis(1_000_000_001_500L));
        Files.createSymbolicLink(tree.resolve("out"), Path.of("/nowhere"));
        Path file = temp.resolve("x.tar.zst");
        TransferResult result = stash(agent, tree, file);
        assertEquals(3, result.files);
        assertEquals(5_001, result.rawBytes);
        assertTrue(result.channelBytes > 5_000 && result.channelBytes < 6_000, result.channelBytes + " bytes");

        Path again = temp.resolve("again");
        try (FrameFile frames = FrameFile.open(file)) {
            TransferInfo transfer = new TransferInfo(TransferInfo.Operation.UNSTASH, "job", 1, "agent", "x", 0, null);
            new DownloadTransfer(
                            new FilePath(agent.getChannel(), again.toString()),
                            TaskListener.NULL.getLogger(),
                            RunningTransfer.withoutListeners(transfer))
                    .run(frames, GlobalSettings.get().settings());
        }
        assertEquals(FileTrees.describe(tree), FileTrees.describe(again));
        assertFalse(AgentInfo.hasEngine(agent.getChannel()));
        List<String> loaded = pluginClasses(classes);
        assertTrue(loaded.size() < 35, loaded.toString());
    }

    private static List<String> pluginClasses(Path log) throws Exception {
        try (Stream<String> lines = Files.lines(log)) {
            return lines.filter(line -> line.matches(".*\\] io\\.jenkins\\.plugins\\.compressionaware\\..*"))
                    .map(line -> line.replaceAll(".*\\] ([\\w.$]*) source.*", "$1"))
                    .sorted()
                    .toList();
        }
    }

    /** Removes links to folders. Ant follows them five levels deep, so that a few nested links take minutes. */
    private static void removeLinksToFolders(Path tree) throws Exception {
        List<Path> links;
        try (Stream<Path> all = Files.walk(tree)) {
            links = all.filter(Files::isSymbolicLink).filter(Files::isDirectory).toList();
        }
        for (Path link : links) {
            Files.delete(link);
        }
    }

    /** An agent has the engine after its first stash that exceeds one call. */
    @Test
    void bootstrapCallStashesSameFilesAsEngine() throws Exception {
        Slave engine = InboundTransport.TCP.startNamed("engine", agents, r);
        Slave fresh = InboundTransport.TCP.startNamed("fresh", agents, r);
        FileTrees.noise(temp.resolve("much/noise"), 1_500_000);
        assertEquals(1, stash(engine, temp.resolve("much"), temp.resolve("m.tar.zst")).files);
        assertTrue(AgentInfo.hasEngine(engine.getChannel()), "too much for one call");
        int smallStashes = 0;
        for (long seed = 0; seed < 20 && !AgentInfo.hasEngine(fresh.getChannel()); seed++) {
            Path tree = RandomTree.create(temp.resolve("random" + seed), seed);
            removeLinksToFolders(tree);
            stash(engine, tree, temp.resolve("e.tar.zst"));
            stash(fresh, tree, temp.resolve("f.tar.zst"));
            assertEquals(
                    unpack(temp.resolve("e.tar.zst"), temp.resolve("by-engine" + seed)),
                    unpack(temp.resolve("f.tar.zst"), temp.resolve("by-call" + seed)),
                    "seed " + seed);
            smallStashes++;
        }
        assertTrue(smallStashes > 1, "the first tree exceeds one call: choose other seeds");
    }
}
