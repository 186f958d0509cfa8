package io.jenkins.plugins.compressionaware.engine.packed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.framefile.LocalFile;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileDownloader;
import io.jenkins.plugins.compressionaware.engine.tar.SelectedFiles;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import io.jenkins.plugins.compressionaware.engine.tar.Workspace;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An agent reads the frames of some files of a packed archive. */
@Timeout(60)
class SelectedFilesTest {
    /** Noise so long that the frames on both sides are not read together. */
    private static final int FAR = FrameRuns.MAX_GAP + 4 * Packed.BLOCK;

    @TempDir
    private Path tmp;

    /** Lengths of the ranges that were opened. */
    private final List<Long> ranges = new CopyOnWriteArrayList<>();

    private Path tree;
    private Path out;
    private PackedFile packed;
    private byte[] file;

    @BeforeEach
    void createTree() throws Exception {
        tree = Files.createDirectory(tmp.resolve("tree"));
        out = tmp.resolve("out");
    }

    private void pack() throws Exception {
        Path archive = tmp.resolve("archive");
        Packed.archive(tree, FileTrees.names(tree), archive, Codec.ZSTD);
        open(archive);
    }

    private void open(Path archive) throws Exception {
        Path path = archive.resolve("packed-artifacts/1.tar.zst");
        packed = PackedFile.of(path);
        file = Files.readAllBytes(path);
    }

    private void noise(String name, int length) throws Exception {
        FileTrees.noise(tree.resolve(name), length);
    }

    private SelectedFiles select(String... names) throws Exception {
        return packed.select(Packed.entries(packed, entry -> List.of(names).contains(entry.name())));
    }

    private void fetch(SelectedFiles selected) throws Exception {
        ranges.clear();
        Figures figures;
        try (FrameFileDownloader downloader = new FrameFileDownloader(selected, Packed.BLOCK)) {
            Workspace files = new Workspace(out, true);
            files.refuseLinks();
            figures = downloader
                    .fetch(
                            files,
                            (from, count) -> {
                                ranges.add(count);
                                return new ByteArrayInputStream(file, from.intValue(), count.intValue());
                            },
                            () -> false,
                            4)
                    .received()
                    .figures();
        }
        long own = IntStream.range(0, selected.objects().size())
                .mapToLong(selected::length)
                .sum();
        assertEquals(selected.wireBytes(), figures.wireBytes() + own);
        assertEquals(
                selected.wireBytes(), ranges.stream().mapToLong(Long::longValue).sum());
        assertTrue(figures.contentBytes() <= selected.rawBytes(), figures + " " + selected.rawBytes());
    }

    private void assertFetched(SelectedFiles selected) throws Exception {
        fetch(selected);
        assertEquals(Optional.empty(), FileTrees.difference(tree, out, selected.names()));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void agentWritesExactlyTheWantedFiles(long seed) throws Exception {
        RandomTree.create(tree, seed);
        noise("large", 300_000);
        noise("x/larger", FAR);
        pack();
        Random random = new Random(seed);
        assertFetched(packed.select(Packed.entries(
                packed,
                entry -> entry.name().equals("large") || entry.type() == TarEntry.FILE && random.nextBoolean())));
    }

    @Test
    void allFilesAreOneRun() throws Exception {
        noise("a", FAR);
        FileTrees.write(tree, "b", "text");
        pack();
        SelectedFiles all = select("a", "b");
        assertEquals(1, all.runs());
        assertArrayEquals(new long[] {0, 0}, new long[] {all.frames()[0], all.firstNumber(0)});
        assertFetched(all);
    }

    /** The file begins and ends in frames of others, which are not written. */
    @Test
    void oneFileTakesSeveralFrames() throws Exception {
        noise("a", FAR);
        noise("b", FAR);
        noise("c", FAR);
        pack();
        SelectedFiles one = select("b");
        assertEquals(1, one.runs());
        assertTrue(one.firstNumber(0) > 0);
        assertTrue(one.wireBytes() < FAR + 3 * Packed.BLOCK, one.wireBytes() + " bytes");
        assertFetched(one);
    }

    @Test
    void framesBetweenTheFirstAndTheLastOneAreNotRead() throws Exception {
        FileTrees.write(tree, "a", "first");
        noise("b", FAR);
        FileTrees.write(tree, "c", "last");
        pack();
        SelectedFiles ends = select("a", "c");
        assertEquals(2, ends.runs());
        assertTrue(ends.wireBytes() < 3 * Packed.BLOCK, ends.wireBytes() + " bytes");
        assertFetched(ends);
        assertTrue(ranges.size() <= 4, ranges.toString());
    }

    /** A short gap takes less time than another request. */
    @Test
    void framesOfAShortGapAreRead() throws Exception {
        FileTrees.write(tree, "a", "first");
        noise("b", 400_000); // several frames
        FileTrees.write(tree, "c", "last");
        pack();
        SelectedFiles ends = select("a", "c");
        assertEquals(1, ends.runs());
        assertFetched(ends);
    }

    @Test
    void emptyFilesNeedOnlyTheirHeaders() throws Exception {
        FileTrees.write(tree, "a", "");
        noise("b", FAR);
        FileTrees.write(tree, "d/empty", "");
        FileTrees.write(tree, "d/empty too", "");
        noise("e", FAR);
        FileTrees.write(tree, "f", "");
        pack();
        assertFetched(select("a", "d/empty", "d/empty too", "f"));
    }

    /** Each run takes two requests at most. */
    @Test
    void scatteredFilesTakeFewRequests() throws Exception {
        int count = 20;
        for (int i = 0; i < count; i++) {
            FileTrees.write(tree, "f" + i, "content " + i);
            noise("f" + i + ".noise", FAR + i);
        }
        pack();
        SelectedFiles small =
                packed.select(Packed.entries(packed, entry -> !entry.name().endsWith("noise")));
        assertEquals(count, small.runs());
        assertFetched(small);
        assertTrue(ranges.size() <= 2 * count, ranges.size() + " requests");
        assertTrue(ranges.size() >= count, ranges.size() + " requests");
    }

    /** The tar has links in their places. The objects follow the file here, as they do for a reader of several objects. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void objectsOfSingleFilesArriveWithOthers(boolean others) throws Exception {
        FileTrees.write(tree, "a", "text");
        Files.createSymbolicLink(tree.resolve("b"), Path.of("key of b"));
        noise("c", FAR);
        Files.createSymbolicLink(tree.resolve("d"), Path.of("key of d"));
        FileTrees.write(tree, "e", "text");
        FileTrees.write(tree, "f", "text");
        pack();
        byte[] first = FileTrees.noise(3_000_000);
        byte[] second = FileTrees.noise(500_001);
        file = CapturedTransfer.join(List.of(file, first, second));
        List<TarEntry> wanted = new ArrayList<>();
        for (TarEntry entry : Packed.entries(packed, each -> true)) {
            if (entry.type() == TarEntry.LINK) {
                wanted.add(entry.ofObject(entry.name().equals("b") ? first.length : second.length));
            } else if (others && List.of("a", "e").contains(entry.name())) {
                wanted.add(entry);
            }
        }
        SelectedFiles selected = packed.select(wanted);
        assertEquals(
                List.of("key of b", "key of d"),
                selected.objects().stream().map(SelectedFiles.OwnObject::key).toList());
        fetch(selected);
        assertEquals(others ? List.of("a", "b", "d", "e") : List.of("b", "d"), FileTrees.list(out));
        assertArrayEquals(first, Files.readAllBytes(out.resolve("b")));
        assertArrayEquals(second, Files.readAllBytes(out.resolve("d")));
        assertEquals(
                wanted.get(others ? 1 : 0).seconds(),
                Files.getLastModifiedTime(out.resolve("b")).to(TimeUnit.SECONDS));
    }

    @Test
    void nothingIsReadForNoFile() throws Exception {
        FileTrees.write(tree, "a", "text");
        pack();
        assertThrows(IOException.class, () -> packed.select(List.of()));
    }

    /** Only an agent that reads the store can unpack it. */
    @Test
    void selectedFilesAreNoFrameFile() throws Exception {
        FileTrees.write(tree, "a", "text");
        pack();
        assertNull(packed.openStored(Packed.entries(packed, entry -> true)), "it is on this disk");
        try (FrameFile some = FrameFile.of(
                new LocalFile(tmp.resolve("archive/packed-artifacts/1.tar.zst")),
                packed.select(Packed.entries(packed, entry -> true)))) {
            IOException failure = assertThrows(IOException.class, () -> some.read(0, new byte[1], 0, 1));
            assertEquals(failure, some.failure());
            assertEquals(some, some.identity(), "a copy of all files must not be sent instead");
            assertEquals(some.selected().wireBytes(), some.wireBytes());
            assertEquals(some.selected().rawBytes(), some.rawBytes());
        }
    }

    @Test
    void forgedIndexBringsNoOtherFile() throws Exception {
        FileTrees.write(tree, "a", "first");
        FileTrees.write(tree, "b", "other");
        Path archive = tmp.resolve("forged");
        Packed.forged(tree, archive);
        open(archive);
        SelectedFiles forged = select("a");
        IOException failure = assertThrows(IOException.class, () -> fetch(forged));
        assertTrue(failure.getMessage().startsWith("Refused b: it was not requested"), failure.getMessage());
        assertEquals(Map.of(), FileTrees.describe(out));
    }

    @Test
    void overlappingEntriesAreRefused() throws Exception {
        FileTrees.write(tree, "a", "text");
        pack();
        TarEntry entry = Packed.entries(packed, each -> true).get(0);
        assertThrows(IOException.class, () -> packed.select(List.of(entry, entry)));
    }

    /** The name is not in the frames. */
    @Test
    void missingFileIsNamed() throws Exception {
        FileTrees.write(tree, "a", "text");
        pack();
        SelectedFiles one = select("a");
        byte[] names = SelectedFiles.deflated(Set.of("a", "b"));
        IOException failure = assertThrows(
                IOException.class, () -> fetch(new SelectedFiles(one.frames(), one.sections(), List.of(), names)));
        assertEquals("The transfer lacks b", failure.getMessage());
    }

    /** A block is verified by its own checksum, and its number by the index. */
    @Test
    void damagedAndMisplacedBlocksAreRefused() throws Exception {
        noise("a", FAR);
        noise("b", FAR);
        noise("c", FAR);
        pack();
        SelectedFiles one = select("b");
        file[1000] ^= 1;
        assertFetched(one);
        long[] others = one.frames().clone();
        others[2]++;
        IOException misplaced = assertThrows(
                IOException.class, () -> fetch(new SelectedFiles(others, one.sections(), List.of(), one.deflated())));
        assertTrue(misplaced.getMessage().contains("in place of block " + others[2]), misplaced.getMessage());
        file[(int) one.frames()[0] + Packed.BLOCK / 2] ^= 1;
        IOException damaged = assertThrows(IOException.class, () -> fetch(one));
        assertTrue(damaged.getMessage().contains("wrong checksum"), damaged.getMessage());
    }

    /** A forged index may claim more than the frames have. */
    @Test
    void missingFramesAreNoticed() throws Exception {
        noise("a", 3 * Packed.BLOCK);
        pack();
        SelectedFiles one = select("a");
        long[] sections = one.sections().clone();
        sections[1] += Packed.BLOCK;
        assertThrows(
                IOException.class, () -> fetch(new SelectedFiles(one.frames(), sections, List.of(), one.deflated())));
    }
}
