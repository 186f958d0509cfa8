package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.docs.Page;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameEnvelope;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.Command;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Loopback;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The codec of a stash does not depend on the uploading agent's link, because many agents download the stash over their own links. */
class StashCodecsTest {
    @TempDir
    private Path tmp;

    private static SendOptions auto(int min, int max) {
        return new SendOptions(new CompressionMode.Auto(min, max, true));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 9, 4, 9, zstd 4",
        "0, 1, 1, 1, zstd 1",
        "0, 0, 0, 0, none",
        "5, 9, 5, 9, zstd 5",
        "0, 3, 3, 3, zstd 3"
    })
    void autoHasMinimumLevelWithinItsBounds(int min, int max, int minLevel, int maxLevel, String onController) {
        CompressionMode.Auto bounds =
                (CompressionMode.Auto) StashCodecs.of(auto(min, max)).compression();
        assertEquals(minLevel, bounds.minLevel());
        assertEquals(maxLevel, bounds.maxLevel());
        assertEquals(
                onController,
                ((CompressionMode.Fixed)
                                StashCodecs.onController(auto(min, max)).compression())
                        .choice()
                        .toString());
    }

    @Test
    void chosenCodecIsKept() {
        for (CodecLevel choice : List.of(CodecLevel.UNCOMPRESSED, CodecLevel.zstd(1), new CodecLevel(Codec.GZIP, 1))) {
            SendOptions options = new SendOptions(new CompressionMode.Fixed(choice));
            assertEquals(
                    choice, ((CompressionMode.Fixed) StashCodecs.of(options).compression()).choice());
            assertEquals(
                    choice,
                    ((CompressionMode.Fixed) StashCodecs.onController(options).compression()).choice());
        }
    }

    /** {@code zstd -dc} must open a stash. */
    @Test
    void zstd1ReplacesLz4() {
        SendOptions lz4 = new SendOptions(new CompressionMode.Fixed(new CodecLevel(Codec.LZ4, 0)));
        SendOptions zstd = new SendOptions(new CompressionMode.Fixed(CodecLevel.zstd(1)));
        assertEquals(zstd, StashCodecs.of(lz4));
        assertEquals(zstd, StashCodecs.onController(lz4));
        assertFalse(StashCodecs.of(auto(0, 1)).compression().lz4());
    }

    /** {@code zstd -dc} opens a stash in which compressed and uncompressed frames alternate. */
    @Test
    void noiseIsStoredUncompressed() throws Exception {
        assertNull(CodecLibrary.ZSTD.problem()); // loads it
        Path from = tmp.resolve("from");
        FileTrees.noise(from.resolve("noise"), 32 * FrameCodec.DEFAULT_BLOCK);
        FileTrees.write(from, "text", "text ".repeat(1_000));

        byte[] stash = CapturedTransfer.stream(from, FileTrees.names(from), StashCodecs.of(auto(0, 9)));

        Map<Codec, Integer> blocks = new EnumMap<>(Codec.class);
        for (byte[] frame : CapturedTransfer.frames(stash)) {
            FrameHeader header = FrameEnvelope.SKIPPABLE_FRAME.read(frame);
            if (!header.isEndFrame()) {
                blocks.merge(header.codec(), 1, Integer::sum);
            }
        }
        assertEquals(Set.of(Codec.NONE, Codec.ZSTD), blocks.keySet(), "noise, and text with some trials");
        assertTrue(blocks.get(Codec.NONE) >= 24, blocks.toString());
        assumeTrue(Command.works("zstd", "--version") && Command.works("tar", "--version"), "zstd or tar is missing");
        Files.write(tmp.resolve("stash"), stash);
        Path to = Files.createDirectory(tmp.resolve("to"));
        Command.run("sh", "-c", "zstd -dc < '" + tmp.resolve("stash") + "' | tar -xf - -C '" + to + "'");
        assertEquals("", Command.run("diff", "-r", from.toString(), to.toString()));
    }

    /** The link is the memory of one machine, for which auto would not compress an archive. */
    @Test
    void stashOfSourcesIsAsSmallAsCores() throws Exception {
        assertNull(CodecLibrary.ZSTD.problem()); // loads it
        Path from = Page.root().resolve("src/main/java");
        Map<String, String> files = FileTrees.names(from);
        files.keySet().removeIf(name -> Files.isDirectory(from.resolve(name)));

        Loopback.Result result = Loopback.with(StashCodecs.of(auto(0, 9))).archive(from, files, tmp.resolve("to"));

        ByteArrayOutputStream core = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(core)) {
            for (String path : files.values()) {
                Files.copy(from.resolve(path), out);
            }
        }
        long ours = result.received().figures().wireBytes();
        assertTrue(
                ours <= 1.01 * core.size(),
                ours + " bytes, with gzip " + core.size() + ": " + result.sent().usages());
    }
}
