package io.jenkins.plugins.compressionaware.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.Command;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Loopback;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Trees arrive unchanged: random trees with random codecs, levels, block sizes and numbers of threads, and large trees. Standard tools can open
 * captured streams and stashes as compressed tars.
 */
@Timeout(120)
class RandomTreeTest {
    private static final int ROUNDS = 12;
    private static final int[] BLOCK_SIZES = {1024, 1025, 10_000, 128 * 1024, 256 * 1024, FrameCodec.MAX_BLOCK};

    @TempDir
    Path tmp;

    @ParameterizedTest
    @EnumSource(Codec.class)
    void randomTreesArriveUnchanged(Codec codec) throws Exception {
        Random random = new Random(codec.ordinal());
        for (int round = 0; round < ROUNDS; round++) {
            long seed = random.nextLong();
            int level = codec.minLevel() + random.nextInt(Math.min(9, codec.maxLevel() - codec.minLevel() + 1));
            int blockSize = BLOCK_SIZES[random.nextInt(BLOCK_SIZES.length)];
            SendOptions options = new SendOptions(codec, level, blockSize, 1 + random.nextInt(4));
            Path home = tmp.resolve(codec + "" + round);
            Path workspace = RandomTree.create(home.resolve("workspace"), seed);
            Path archive = home.resolve("archive");
            Map<String, String> names = FileTrees.names(workspace);
            Loopback.Result result = Loopback.with(options).archive(workspace, names, archive);
            String context = "seed " + seed + ", " + options;
            assertEquals(FileTrees.describe(workspace), FileTrees.describe(archive), context);
            assertEquals(names.size(), result.received().figures().entries(), context);
            assertEquals(
                    result.sent().figures().wireBytes(),
                    result.received().figures().wireBytes(),
                    context);
            assertEquals(codec, result.sent().usages().get(0).choice().codec(), context);
            assertNull(result.sent().zstdProblem(), context);
            assertEquals(List.of("archive", "workspace"), FileTrees.list(home), context);
            assertEquals(
                    result.sent().figures().contentBytes(),
                    result.received().figures().contentBytes(),
                    context);
        }
    }

    @Test
    void onlyRequestedFilesArriveUnderTheirArchiveNames() throws Exception {
        Path workspace = tmp.resolve("workspace");
        Path archive = tmp.resolve("archive");
        FileTrees.write(workspace, "kept/file", "one");
        Loopback loopback = Loopback.with(new SendOptions(Codec.NONE, 0));
        loopback.archive(workspace, Map.of("a/b", "kept/file"), archive);
        assertEquals("one", Files.readString(archive.resolve("a/b")));
        Map<String, String> before = FileTrees.describe(archive);
        assertEquals(Set.of("a", "a/b"), before.keySet());
        assertEquals(
                0,
                loopback.archive(workspace, Map.of(), archive)
                        .received()
                        .figures()
                        .entries(),
                "no file is requested");
        assertEquals(before, FileTrees.describe(archive));
    }

    @Test
    void manySmallFilesArrive() throws Exception {
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        for (int i = 0; i < 5_000; i++) {
            FileTrees.write(workspace, "d" + i / 100 + "/file" + i, "content " + i);
        }
        assertEquals(5_000, archive(workspace).figures().entries());
    }

    private ReceiveReport archive(Path workspace) throws Exception {
        Path archive = tmp.resolve("archive");
        Loopback.Result result =
                Loopback.with(new SendOptions(Codec.ZSTD, 1)).archive(workspace, FileTrees.names(workspace), archive);
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(archive));
        return result.received();
    }

    @Test
    @Tag("slow")
    @Timeout(1800)
    void entryAbove8GiBArrives() throws Exception {
        long size = (8L << 30) + 12_345;
        assumeTrue(
                Files.getFileStore(tmp).getUsableSpace() > size + (2L << 30),
                "Untested: an entry above 8 GiB, since the disk has not enough space");
        Path workspace = Files.createDirectory(tmp.resolve("workspace"));
        try (FileChannel file = FileChannel.open(
                workspace.resolve("large"),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE,
                StandardOpenOption.SPARSE)) {
            file.write(ByteBuffer.wrap("start".getBytes()), 0);
            file.write(ByteBuffer.wrap("end".getBytes()), size - 3);
        }
        Files.writeString(workspace.resolve("after"), "after");
        assertEquals(size + 5, archive(workspace).figures().contentBytes());
    }

    @ParameterizedTest
    @CsvSource({"NONE, zstd", "ZSTD, zstd", "GZIP, gzip", "LZ4, lz4"})
    void standardToolsOpenStreamAndStash(Codec codec, String tool) throws Exception {
        assumeTrue(
                Command.works(tool, "--version") && Command.works("tar", "--version"),
                "Untested: whether " + tool + " opens a captured stream, since it or tar is not installed");
        Path workspace = RandomTree.create(tmp.resolve("workspace"), 11);
        Files.write(workspace.resolve("noise"), FileTrees.noise(700_000));
        Files.writeString(workspace.resolve("text"), "to be or not to be\n".repeat(40_000));
        Map<String, String> names = FileTrees.names(workspace);
        SendOptions options = new SendOptions(codec, codec.defaultLevel());
        assertOpens(
                workspace,
                tool,
                Files.write(tmp.resolve("stream"), CapturedTransfer.stream(workspace, names, options)));
        if (tool.equals("zstd")) {
            assertOpens(workspace, tool, CapturedTransfer.store(workspace, names, options, tmp.resolve("x.tar.zst")));
        }
    }

    private void assertOpens(Path workspace, String tool, Path stream) throws Exception {
        Path tar = tmp.resolve("stream.tar");
        Path unpacked = Files.createTempDirectory(tmp, "unpacked");
        run(new ProcessBuilder(tool, "-dc").redirectInput(stream.toFile()).redirectOutput(tar.toFile()));
        run(new ProcessBuilder("tar", "-xpf", tar.toString(), "-C", unpacked.toString()));
        assertEquals(FileTrees.describe(workspace), FileTrees.describe(unpacked), stream.toString());
    }

    private void run(ProcessBuilder command) throws Exception {
        Path errors = tmp.resolve("errors");
        int exit = command.redirectError(errors.toFile()).start().waitFor();
        assertEquals(0, exit, command.command() + ": " + Files.readString(errors, StandardCharsets.UTF_8));
    }
}
