package io.jenkins.plugins.compressionaware.engine.lane;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Loopback;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random trees arrive unchanged with random codecs, levels, block sizes and numbers of threads. */
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
            assertEquals(names.size(), result.received().entries(), context);
            assertEquals(result.sent().wireBytes(), result.received().wireBytes(), context);
            assertEquals(codec, result.sent().usages().get(0).choice().codec(), context);
            assertEquals(List.of(), result.sent().unusable(), context);
            assertEquals(List.of("archive", "workspace"), FileTrees.list(home), context);
            assertEquals(result.sent().contentBytes(), result.received().contentBytes(), context);
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
                0, loopback.archive(workspace, Map.of(), archive).received().entries(), "no file is requested");
        assertEquals(before, FileTrees.describe(archive));
    }
}
