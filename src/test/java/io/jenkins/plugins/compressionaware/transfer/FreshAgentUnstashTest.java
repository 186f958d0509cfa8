package io.jenkins.plugins.compressionaware.transfer;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import hudson.model.Slave;
import io.jenkins.plugins.compressionaware.agent.BootstrapArchiveCallable;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.jenkins.InboundTransport;
import io.jenkins.plugins.compressionaware.testing.jenkins.JenkinsTestBase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** First unstashes of an agent that has not loaded any class of the plugin. */
class FreshAgentUnstashTest extends JenkinsTestBase {
    @TempDir
    private Path temp;

    private int stashes;

    private Path store(Path tree, Map<String, String> files) throws Exception {
        // packed by the engine
        return CapturedTransfer.store(tree, files, new SendOptions(Codec.ZSTD, 3), temp.resolve("stash" + stashes++));
    }

    private static TransferResult unstash(Slave agent, Path stash, Path workspace) throws Exception {
        return Transfers.unstash(agent.getChannel(), stash, workspace);
    }

    private static boolean hasEngine(Slave agent) {
        return AgentInfo.hasEngine(agent.getChannel());
    }

    @ParameterizedTest
    @EnumSource(InboundTransport.class)
    void smallStashNeedsFewClassesOnTheAgent(InboundTransport transport) throws Exception {
        Path classes = temp.resolve("classes");
        Slave agent = transport.start(agents, r, "-Xlog:class+load:file=" + classes);
        Path tree = temp.resolve("tree");
        FileTrees.noise(tree.resolve("a/tiny"), 5_000);
        FileTrees.noise(tree.resolve("empty"), 0);
        FileTrees.noise(tree.resolve("m/noise"), 200_000);
        Files.writeString(tree.resolve("m/text"), "text\n".repeat(60_000));
        FileTrees.noise(tree.resolve("n".repeat(120)), 1);
        Files.setPosixFilePermissions(tree.resolve("a/tiny"), PosixFilePermissions.fromString("r-x------"));
        Files.createSymbolicLink(tree.resolve("link"), Path.of("a/tiny"));
        Files.createSymbolicLink(tree.resolve("out"), Path.of("/nowhere"));
        Path workspace = temp.resolve("workspace");
        // existing files stay or are replaced
        FileTrees.noise(workspace.resolve("a/old"), 3);
        FileTrees.noise(workspace.resolve("empty"), 7);
        Map<String, String> expected = new TreeMap<>(FileTrees.describe(tree));
        expected.put("a/old", FileTrees.describe(workspace).get("a/old"));
        TransferResult result = unstash(agent, store(tree, FileTrees.names(tree)), workspace);
        assertEquals(expected, new TreeMap<>(FileTrees.describe(workspace)));
        assertEquals(7, result.files);
        assertEquals(505_001, result.rawBytes);
        assertEquals(1, result.codecs.size());
        assertEquals("gzip", result.codecs.get(0).codec);
        assertEquals(BootstrapArchiveCallable.LEVEL, result.codecs.get(0).level);
        assertTrue(result.channelBytes > 205_000 && result.channelBytes < 222_000, result.channelBytes + " bytes");
        List<String> loaded = Transfers.loaded(
                classes,
                // an unstash that takes a second, on a busy machine, also identifies the workspace
                "io\\.jenkins\\.plugins\\.compressionaware(?!\\.agent\\.WorkspaceIdentityCallable)"
                        + "|org\\.apache\\.commons\\.compress|com\\.github\\.luben");
        assertTrue(loaded.size() > 10 && loaded.size() < 35, loaded.toString());
        assertTrue(loaded.stream().allMatch(line -> line.contains(".compressionaware.")), loaded.toString());
        assertFalse(hasEngine(agent));
    }

    @Test
    void largeStashLoadsEngine() throws Exception {
        Slave agent = InboundTransport.TCP.start(agents, r);
        Path tree = temp.resolve("tree");
        FileTrees.noise(tree.resolve("noise"), 1_200_000);
        Path workspace = temp.resolve("workspace");
        unstash(agent, store(tree, FileTrees.names(tree)), workspace);
        assertEquals(FileTrees.describe(tree), FileTrees.describe(workspace));
        assertTrue(hasEngine(agent));
    }

    /** A stash from another agent must not write through a link, for example into the home folder of this agent's user. */
    @Test
    void hostileStashDoesNotWriteThroughLink() throws Exception {
        Slave agent = InboundTransport.TCP.start(agents, r);
        Path tree = temp.resolve("tree");
        Path outside = Files.createDirectory(temp.resolve("outside"));
        FileTrees.noise(tree.resolve("file"), 10);
        Files.createSymbolicLink(tree.resolve("link"), outside);
        Path workspace = temp.resolve("workspace");
        Path stash = store(tree, Map.of("x", "link", "x/y", "file"));
        assertFailsWith("Refused x/y", () -> unstash(agent, stash, workspace));
        assertEquals(Map.of(), FileTrees.describe(outside));
        for (String name : List.of("../y", "/../y", "a/../../y")) {
            Path other = store(tree, Map.of(name, "file"));
            assertFailsWith("Refused", () -> unstash(agent, other, workspace));
        }
        assertFalse(Files.exists(temp.resolve("y")));
    }

    @Test
    void damagedStashFailsWithBlockNumber() throws Exception {
        Slave agent = InboundTransport.TCP.start(agents, r);
        Path tree = temp.resolve("tree");
        FileTrees.noise(tree.resolve("a"), 1_000);
        Path stash = store(tree, FileTrees.names(tree));
        byte[] bytes = Files.readAllBytes(stash);
        bytes[600] ^= 1;
        Files.write(stash, bytes);
        Path workspace = temp.resolve("workspace");
        assertFailsWith("block 0", () -> unstash(agent, stash, workspace));
        assertEquals(Map.of(), FileTrees.describe(workspace));
    }
}
