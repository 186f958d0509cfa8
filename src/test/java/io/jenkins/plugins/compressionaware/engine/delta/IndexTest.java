package io.jenkins.plugins.compressionaware.engine.delta;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.jenkins.plugins.compressionaware.testing.History;
import io.jenkins.plugins.compressionaware.testing.Jvm;
import io.jenkins.plugins.compressionaware.testing.OpenFiles;
import io.jenkins.plugins.compressionaware.testing.Trees;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class IndexTest {
    @TempDir
    Path tmp;

    private Path archive;
    private Path file;

    @BeforeEach
    void archive() throws IOException {
        archive = Files.createDirectory(tmp.resolve("archive"));
        file = tmp.resolve(Index.FILE);
        new History(archive, 1).distribution();
    }

    @Test
    void isReadAsItWasWritten() throws IOException {
        Index written = Index.of(archive, new Facts(3, 5, 0.25, 80, 0.5, 2, 6, 7));
        written.write(file);
        Index read = Index.read(file);
        assertEquals(written.facts(), read.facts());
        assertArrayEquals(written.offer(7), read.offer(7));
        assertEquals(written.allowance(), read.allowance());
        for (int i = 0; i < written.pieces(); i++) {
            assertEquals(written.fileOf(i) + written.from(i), read.fileOf(i) + read.from(i));
        }
        assertEquals(2, Trees.list(tmp).size());
    }

    /** It was one piece, and shorter than an index may have any: no build with such a file had an index that could be read. */
    @Test
    void hasNoPieceOfATinyJarInAJar() throws IOException {
        byte[] tiny = History.jar(0, true, new byte[10]);
        assertTrue(tiny.length < Pieces.SMALLEST, tiny.length + " bytes");
        Files.write(archive.resolve("fat.jar"), History.jar(0, true, tiny, History.noise(1, 5_000)));
        Index written = Index.of(archive, Travel.FACTS);
        written.write(file);
        assertArrayEquals(written.offer(7), Index.read(file).offer(7));
    }

    /** A file that is its own only piece is listed once. */
    @Test
    void hasOnePieceForASmallFile() throws IOException {
        Index before = Index.of(archive, Travel.FACTS);
        for (int i = 0; i < 100; i++) {
            Files.write(archive.resolve("small" + i), History.noise(i, 700));
        }
        assertEquals(before.pieces() + 100, Index.of(archive, Travel.FACTS).pieces());
    }

    @Test
    void isAboutAThousandthOfItsArchive() throws IOException {
        Files.write(archive.resolve("large"), History.noise(1, 8 << 20));
        Index index = Index.of(archive, Travel.FACTS);
        index.write(file);
        assertTrue(Files.size(file) < 40_000, Files.size(file) + " bytes");
        assertTrue(index.offer(1).length < 12_000, index.offer(1).length + " bytes");
    }

    @Test
    void aDamagedOneIsNone() throws IOException {
        Index.of(archive, Travel.FACTS).write(file);
        byte[] bytes = Files.readAllBytes(file);
        assertNotNull(Index.read(file));
        for (int i = 0; i < Math.min(bytes.length, 600); i++) {
            byte[] damaged = bytes.clone();
            damaged[i] ^= 1 << i % 8;
            Files.write(file, damaged);
            assertNull(Index.read(file), "at " + i);
        }
        for (int length : new int[] {0, 3, 4, 20, bytes.length - 1}) {
            Files.write(file, Arrays.copyOf(bytes, length));
            assertNull(Index.read(file), "cut at " + length);
            assertNull(EarlierArchive.open(archive, file));
        }
        Files.delete(file);
        assertNull(Index.read(file));
        assertNull(EarlierArchive.open(archive, file));
    }

    /** Writes one index after the other until it is killed. */
    static final class Writing {
        public static void main(String[] args) throws IOException {
            Path folder = Path.of(args[0]);
            Index[] both = {
                Index.of(folder.resolve("archive"), new Facts(1, 1, 1, 1, 1, 0)),
                Index.of(folder.resolve("archive"), new Facts(1, 2, 1, 1, 1, 0))
            };
            for (int i = 0; ; i++) {
                both[i % 2].write(folder.resolve(Index.FILE));
                System.out.write('.');
                System.out.flush();
            }
        }
    }

    @Test
    void aControllerThatIsKilledLeavesAWholeOneOrNone() throws Exception {
        Random random = new Random(7);
        Files.write(archive.resolve("large"), History.noise(1, 8 << 20));
        int pieces = Index.of(archive, Travel.FACTS).pieces();
        for (int kill = 0; kill < 6; kill++) {
            Process controller = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            Writing.class.getName(),
                            tmp.toString())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                int seen = controller.getInputStream().readNBytes(1 + random.nextInt(20)).length;
                assertTrue(seen > 0, "it writes");
                Thread.sleep(0, random.nextInt(1_000_000));
            } finally {
                controller.destroyForcibly().waitFor();
            }
            Index left = Index.read(file);
            assertEquals(pieces, left.pieces());
            assertTrue(left.facts().rawBytes() == 1 || left.facts().rawBytes() == 2);
        }
        // what it was at is in the way of nobody
        Index.none(Travel.FACTS).write(file);
        assertEquals(2, Trees.list(tmp).size());
    }

    @Test
    void hasNothingThatIsNoPlainFile() throws IOException {
        Path outside = Files.write(tmp.resolve("outside"), History.noise(5, 50_000));
        Path folder = Files.createDirectory(tmp.resolve("folder"));
        Files.write(folder.resolve("in"), History.noise(6, 50_000));
        int before = Index.of(archive, Travel.FACTS).pieces();
        Files.createSymbolicLink(archive.resolve("link"), outside);
        Files.createSymbolicLink(archive.resolve("there"), folder);
        assertEquals(before, Index.of(archive, Travel.FACTS).pieces());
    }

    /** A step that archives something else is not to get the list. */
    @Test
    void knowsArchivesByTheirNames() throws IOException {
        Path folder = Files.createDirectory(tmp.resolve("named"));
        Files.write(folder.resolve("app-1.0-b7-8f3ab12.jar"), new byte[100_000]);
        Files.write(folder.resolve("part1.bin"), new byte[1000]);
        Files.write(folder.resolve("part2.bin"), new byte[3000]);
        Index index = Index.of(folder, Travel.FACTS);
        assertEquals(100_000, index.facts(Set.of("app-1.1-b8-c0ffee1.jar")).rawBytes());
        Facts parts = index.facts(List.of("part1.bin", "part3.bin", "folder/part1.bin"));
        assertEquals(4000, parts.rawBytes());
        assertEquals(2, parts.files());
        assertEquals(0, index.facts(Set.of("test.log")).rawBytes());
        assertEquals(Travel.FACTS.nanosPerWire(), parts.nanosPerWire());
    }

    /** As core and the transfers follow it. */
    @Test
    void ofAnArchiveThatIsALinkHasItsFiles() throws IOException {
        Path link = Files.createSymbolicLink(tmp.resolve("link"), archive);
        assertEquals(
                Index.of(archive, Travel.FACTS).pieces(),
                Index.of(link, Travel.FACTS).pieces());
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void aNameWithABackslashIsFoundAgain() throws IOException {
        Path folder = Files.createDirectory(tmp.resolve("strange"));
        Path strange = Files.write(folder.resolve("a\\b"), History.noise(1, 100_000));
        try (EarlierArchive earlier = Travel.opened(folder)) {
            byte[] recipe = Travel.recipe(Shortener.of(earlier.index().offer(Travel.SLOW)), strange);
            assertArrayEquals(
                    Files.readAllBytes(strange),
                    earlier.rebuild(new ByteArrayInputStream(recipe)).readAllBytes());
        }
    }

    /** Otherwise each takes a quarter of a megabyte, at both ends. */
    @Test
    void manySmallFilesTakeLittleHeap() throws IOException {
        for (int i = 0; i < 300; i++) {
            Files.write(archive.resolve("small" + i), History.noise(i, 1000));
        }
        Index.of(archive, Travel.FACTS);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        Index.of(archive, Travel.FACTS);
        long allocated = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
        assertTrue(allocated < 300 * 100_000L, allocated + " bytes");
    }

    @Test
    void whereNobodyMayWriteNothingIsLeft() throws IOException {
        Path gone = tmp.resolve("deleted").resolve(Index.FILE);
        assertThrows(IOException.class, () -> Index.of(archive, Travel.FACTS).write(gone));
        assertTrue(Files.notExists(gone.getParent()));
    }

    @Test
    void hasSoManyPiecesAtMost() throws IOException {
        for (int i = 0; i < 200; i++) {
            Files.write(archive.resolve("f" + i), History.noise(i, 600));
        }
        assertEquals(0, Index.none(Travel.FACTS).offerBytes());
        Index.none(Travel.FACTS).write(file);
        assertEquals(0, Index.read(file).pieces());
        assertTrue(Index.of(archive, Travel.FACTS).pieces() > 200);
    }

    @Test
    void allTogetherTakeASixteenthOfTheHeapAtMost() throws Exception {
        Index.of(archive, Travel.FACTS).write(file);
        List<String> said = Jvm.run(
                List.of("-Xmx32m"),
                System.getProperty("java.class.path"),
                Many.class,
                archive.toString(),
                file.toString());
        assertEquals(List.of("null", "opened"), said);
    }

    /** Runs in a JVM of its own. */
    static final class Many {
        private Many() {}

        public static void main(String[] args) {
            Path archive = Path.of(args[0]);
            Path index = Path.of(args[1]);
            Deque<EarlierArchive> open = new ArrayDeque<>();
            EarlierArchive next = EarlierArchive.open(archive, index);
            for (long taken = 0;
                    taken < 2 << 20 && next != null;
                    taken += 3 * index.toFile().length()) {
                open.push(next);
                next = EarlierArchive.open(archive, index);
            }
            System.out.println(next);
            open.pop().close();
            System.out.println(EarlierArchive.open(archive, index) == null ? "null" : "opened");
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aDeepArchiveTakesFewDescriptors() throws Exception {
        OpenFiles.deepFile(archive, History.noise(1, 10_000));
        int most = OpenFiles.most(() -> Index.of(archive, Travel.FACTS));
        assertTrue(most < 300, most + " open at a time");
    }

    /** Elsewhere a copy is read and written as a whole, and would be reported as shared. */
    @Test
    void copiesShareBlocksOnSomeFileSystems() {
        for (String type : List.of("xfs", "btrfs", "zfs")) {
            assertTrue(EarlierArchive.mayHaveReflinks(type), type);
        }
        for (String type : List.of("ext4", "tmpfs", "ramfs", "nfs4", "ceph", "overlay", "fuse.glusterfs", "NTFS", "")) {
            assertFalse(EarlierArchive.mayHaveReflinks(type), type);
        }
    }
}
