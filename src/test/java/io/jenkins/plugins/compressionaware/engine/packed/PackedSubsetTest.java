package io.jenkins.plugins.compressionaware.engine.packed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileTarInputStream;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveProgress;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies some files of a packed archive into a frame file. */
@Timeout(60)
class PackedSubsetTest {
    @TempDir
    Path tmp;

    private Path tree;
    private PackedFile packed;

    @BeforeEach
    void createTree() throws Exception {
        tree = Files.createDirectory(tmp.resolve("tree"));
    }

    private void pack(Codec codec) throws Exception {
        Path archive = tmp.resolve("archive");
        Packed.archive(tree, FileTrees.names(tree), archive, codec);
        packed = PackedFile.of(archive.resolve("packed-artifacts/1.tar.zst"));
    }

    private Path copy(List<TarEntry> entries) throws Exception {
        Path copy = tmp.resolve("copy");
        try (FrameFileWriter target =
                new FrameFileWriter(copy, tmp.resolve("partial"), packed.blockSize(), Long.MAX_VALUE)) {
            packed.copy(entries, target);
            target.commit();
        }
        return copy;
    }

    private Map<String, String> unpack(Path copy) throws Exception {
        Path out = Files.createDirectory(tmp.resolve("out"));
        try (FrameFile frames = FrameFile.open(copy)) {
            FrameFileTarInputStream.unpack(frames, out, task -> new Thread(task).start(), new ReceiveProgress());
        }
        return FileTrees.describe(out);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void copyHasExactlyTheWantedFiles(long seed) throws Exception {
        RandomTree.create(tree, seed);
        Files.write(tree.resolve("large"), FileTrees.noise(300_000));
        pack(Codec.ZSTD);
        Random random = new Random(seed);
        List<TarEntry> some = Packed.entries(packed, entry -> entry.type() == TarEntry.FILE && random.nextBoolean());
        Map<String, String> expected = new HashMap<>(FileTrees.describe(tree));
        expected.keySet().retainAll(some.stream().map(TarEntry::name).collect(Collectors.toSet()));
        Map<String, String> copied = unpack(copy(some));
        copied.keySet().retainAll(FileTrees.names(tmp.resolve("out")).keySet());
        assertEquals(expected, copied);
    }

    /** The copy tells stored frames, which are gzip here, from frames that were compressed anew. */
    @Test
    void framesWithoutOtherFilesKeepTheirBodies() throws Exception {
        FileTrees.write(tree, "a/1", "first");
        FileTrees.write(tree, "b/1", "start");
        Files.write(tree.resolve("b/2"), FileTrees.noise(10 * Packed.BLOCK));
        FileTrees.write(tree, "b/3", "end");
        FileTrees.write(tree, "c/1", "last");
        pack(Codec.GZIP);
        Path copy = copy(Packed.entries(packed, entry -> entry.name().startsWith("b/")));
        List<Codec> codecs = new ArrayList<>();
        for (byte[] frame : CapturedTransfer.frames(frames(copy))) {
            codecs.add(PageCodec.header(frame).codec());
        }
        long stored = codecs.stream().filter(Codec.GZIP::equals).count();
        assertTrue(stored >= 9, codecs.toString());
        assertTrue(codecs.size() - stored <= 5, codecs.toString());
        assertEquals(
                new TreeSet<>(List.of("b", "b/1", "b/2", "b/3")),
                new TreeSet<>(unpack(copy).keySet()));
    }

    private static byte[] frames(Path copy) throws Exception {
        byte[] bytes = Files.readAllBytes(copy);
        try (FrameFile file = FrameFile.open(copy)) {
            return Arrays.copyOf(bytes, (int) file.wireBytes());
        }
    }

    /** Therefore, whoever sends the copy must compare its names. */
    @Test
    void forgedIndexLeadsToOtherFiles() throws Exception {
        FileTrees.write(tree, "a", "first");
        FileTrees.write(tree, "b", "other");
        Path archive = tmp.resolve("archive");
        Packed.forged(tree, archive);
        packed = PackedFile.of(archive.resolve("packed-artifacts/1.tar.zst"));
        assertEquals(
                List.of("b"),
                List.copyOf(unpack(copy(
                                Packed.entries(packed, entry -> entry.name().equals("a"))))
                        .keySet()));
    }

    /** Otherwise each of many small files would be a frame. */
    @Test
    void scatteredFilesShareFrames() throws Exception {
        for (int i = 0; i < 1000; i++) {
            FileTrees.write(tree, "f" + i, "content " + i);
        }
        pack(Codec.ZSTD);
        Path copy = copy(Packed.entries(packed, entry -> entry.name().endsWith("7")));
        assertTrue(CapturedTransfer.frames(frames(copy)).size() < 6);
        assertEquals(100, unpack(copy).size());
    }
}
