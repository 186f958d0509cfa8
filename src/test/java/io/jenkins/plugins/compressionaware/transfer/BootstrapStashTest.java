package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.agent.WorkspaceIdentityCallable;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Stashes of agents without the engine, small and large. */
class BootstrapStashTest extends JenkinsTestBase {
    @TempDir
    private Path temp;

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
        TransferResult result = Transfers.stash(agent.getChannel(), tree, file);
        assertEquals(3, result.files);
        assertEquals(5_001, result.rawBytes);
        assertTrue(result.channelBytes > 5_000 && result.channelBytes < 6_000, result.channelBytes + " bytes");

        Path again = temp.resolve("again");
        TransferResult unstashed = Transfers.unstash(agent.getChannel(), file, again);
        assertEquals(FileTrees.describe(tree), FileTrees.describe(again));
        try (FrameFile frames = FrameFile.open(file)) {
            assertEquals(frames.wireBytes(), unstashed.channelBytes);
        }
        assertEquals(List.of(), unstashed.codecs, "as stored");
        assertFalse(AgentInfo.hasEngine(agent.getChannel()));
        List<String> loaded = Transfers.loaded(classes, "io\\.jenkins\\.plugins\\.compressionaware").stream()
                // only in a transfer of more than a second
                .filter(line -> !line.contains(WorkspaceIdentityCallable.class.getSimpleName()))
                .toList();
        assertTrue(loaded.size() < 35, loaded.toString());
    }

    /** An agent has the engine after its first stash that exceeds one call. */
    @Test
    void bootstrapCallStashesSameFilesAsEngine() throws Exception {
        Slave engine = InboundTransport.TCP.startNamed("engine", agents, r);
        Slave fresh = InboundTransport.TCP.startNamed("fresh", agents, r);
        FileTrees.noise(temp.resolve("much/noise"), 1_500_000);
        assertEquals(1, Transfers.stash(engine.getChannel(), temp.resolve("much"), temp.resolve("m.tar.zst")).files);
        assertTrue(AgentInfo.hasEngine(engine.getChannel()), "too much for one call");
        int smallStashes = 0;
        for (long seed = 0; seed < 20 && !AgentInfo.hasEngine(fresh.getChannel()); seed++) {
            Path tree = RandomTree.create(temp.resolve("random" + seed), seed);
            RandomTree.deleteLinksToFolders(tree, 0);
            Transfers.stash(engine.getChannel(), tree, temp.resolve("e.tar.zst"));
            Transfers.stash(fresh.getChannel(), tree, temp.resolve("f.tar.zst"));
            Transfers.unstash(engine.getChannel(), temp.resolve("e.tar.zst"), temp.resolve("by-engine" + seed));
            Transfers.unstash(engine.getChannel(), temp.resolve("f.tar.zst"), temp.resolve("by-call" + seed));
            assertEquals(
                    FileTrees.describe(temp.resolve("by-engine" + seed)),
                    FileTrees.describe(temp.resolve("by-call" + seed)),
                    "seed " + seed);
            smallStashes++;
        }
        assertTrue(smallStashes > 1, "the first tree exceeds one call: choose other seeds");
    }
}
