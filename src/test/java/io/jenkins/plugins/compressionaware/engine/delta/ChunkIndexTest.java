package io.jenkins.plugins.compressionaware.engine.delta;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.History;
import io.jenkins.plugins.compressionaware.testing.Jvm;
import io.jenkins.plugins.compressionaware.testing.OpenFiles;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
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

class ChunkIndexTest {
    @TempDir
    Path tmp;

    private Path archive;
    private Path file;

    @BeforeEach
    void archive() throws IOException {
        archive = Files.createDirectory(tmp.resolve("archive"));
        file = tmp.resolve(ChunkIndex.FILE);
        new History(archive, 1).distribution();
    }

    @Test
    void writtenIndexIsReadUnchanged() throws IOException {
        ChunkIndex written = ChunkIndex.of(archive, new ArchiveStats(3, 5, 0.25, 80, 0.5, 2, 6, 7));
        written.write(file);
        ChunkIndex read = ChunkIndex.read(file);
        assertEquals(written.stats(), read.stats());
        assertArrayEquals(written.signature(7), read.signature(7));
        assertEquals(written.reuseLimit(), read.reuseLimit());
        for (int i = 0; i < written.chunkCount(); i++) {
            assertEquals(written.fileOf(i) + written.from(i), read.fileOf(i) + read.from(i));
        }
        assertEquals(2, FileTrees.list(tmp).size());
    }

    /** With an index, guesses of the content of files can be tested, even of files that only Jenkins may read. */
    @Test
    @DisabledOnOs(OS.WINDOWS)
    void indexIsReadableOnlyForJenkins() throws IOException {
        ChunkIndex.of(archive, DeltaRoundTrip.STATS).write(file);
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }

    /** Such a file is listed once, as a file and not again as its own chunk. */
    @Test
    void smallFileIsOneChunk() throws IOException {
        ChunkIndex before = ChunkIndex.of(archive, DeltaRoundTrip.STATS);
        for (int i = 0; i < 100; i++) {
            Files.write(archive.resolve("small" + i), History.noise(i, 700));
        }
        assertEquals(
                before.chunkCount() + 100,
                ChunkIndex.of(archive, DeltaRoundTrip.STATS).chunkCount());
    }

    @Test
    void indexAndSignatureAreSmall() throws IOException {
        Files.write(archive.resolve("large"), History.noise(1, 8 << 20));
        ChunkIndex index = ChunkIndex.of(archive, DeltaRoundTrip.STATS);
        index.write(file);
        assertTrue(Files.size(file) < 40_000, Files.size(file) + " bytes");
        assertTrue(index.signature(1).length < 12_000, index.signature(1).length + " bytes");
    }

    @Test
    void damagedIndexIsIgnored() throws IOException {
        ChunkIndex.of(archive, DeltaRoundTrip.STATS).write(file);
        byte[] bytes = Files.readAllBytes(file);
        assertNotNull(ChunkIndex.read(file));
        for (int i = 0; i < Math.min(bytes.length, 600); i++) {
            byte[] damaged = bytes.clone();
            damaged[i] ^= 1 << i % 8;
            Files.write(file, damaged);
            assertNull(ChunkIndex.read(file), "at " + i);
        }
        for (int length : new int[] {0, 3, 4, 20, bytes.length - 1}) {
            Files.write(file, Arrays.copyOf(bytes, length));
            assertNull(ChunkIndex.read(file), "cut at " + length);
            assertNull(ReferenceArchive.open("agent", archive, file));
        }
        Files.delete(file);
        assertNull(ChunkIndex.read(file));
        assertNull(ReferenceArchive.open("agent", archive, file));
    }

    /** Writes indexes until the JVM is killed. */
    static final class Writing {
        public static void main(String[] args) throws IOException {
            Path folder = Path.of(args[0]);
            ChunkIndex[] both = {
                ChunkIndex.of(folder.resolve("archive"), new ArchiveStats(1, 1, 1, 1, 1, 0)),
                ChunkIndex.of(folder.resolve("archive"), new ArchiveStats(1, 2, 1, 1, 1, 0))
            };
            for (int i = 0; ; i++) {
                both[i % 2].write(folder.resolve(ChunkIndex.FILE));
                System.out.write('.');
                System.out.flush();
            }
        }
    }

    @Test
    void killedControllerLeavesCompleteIndex() throws Exception {
        Random random = new Random(7);
        Files.write(archive.resolve("large"), History.noise(1, 8 << 20));
        int chunks = ChunkIndex.of(archive, DeltaRoundTrip.STATS).chunkCount();
        for (int kill = 0; kill < 6; kill++) {
            Process controller = Jvm.builder(Writing.class, tmp.toString())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try {
                int seen = controller.getInputStream().readNBytes(1 + random.nextInt(20)).length;
                assertTrue(seen > 0, "no index was written");
                Thread.sleep(0, random.nextInt(1_000_000));
            } finally {
                controller.destroyForcibly().waitFor();
            }
            ChunkIndex left = ChunkIndex.read(file);
            assertEquals(chunks, left.chunkCount());
            assertTrue(left.stats().rawBytes() == 1 || left.stats().rawBytes() == 2);
        }
        // a partial file of a killed JVM does not disturb the next write
        ChunkIndex.withoutChunks(DeltaRoundTrip.STATS).write(file);
        assertEquals(2, FileTrees.list(tmp).size());
    }

    @Test
    void linksAreNotIndexed() throws IOException {
        Path outside = Files.write(tmp.resolve("outside"), History.noise(5, 50_000));
        Path folder = Files.createDirectory(tmp.resolve("folder"));
        Files.write(folder.resolve("in"), History.noise(6, 50_000));
        int before = ChunkIndex.of(archive, DeltaRoundTrip.STATS).chunkCount();
        Files.createSymbolicLink(archive.resolve("link"), outside);
        Files.createSymbolicLink(archive.resolve("there"), folder);
        assertEquals(before, ChunkIndex.of(archive, DeltaRoundTrip.STATS).chunkCount());
    }

    /** A step that archives other files must not get the signature. */
    @Test
    void statisticsDependOnFileNames() throws IOException {
        Path folder = Files.createDirectory(tmp.resolve("named"));
        Files.write(folder.resolve("app-1.0-b7-8f3ab12.jar"), new byte[100_000]);
        Files.write(folder.resolve("part1.bin"), new byte[1000]);
        Files.write(folder.resolve("part2.bin"), new byte[3000]);
        ChunkIndex index = ChunkIndex.of(folder, DeltaRoundTrip.STATS);
        assertEquals(100_000, index.stats(Set.of("app-1.1-b8-c0ffee1.jar")).rawBytes());
        ArchiveStats parts = index.stats(List.of("part1.bin", "part3.bin", "folder/part1.bin"));
        assertEquals(4000, parts.rawBytes());
        assertEquals(2, parts.files());
        assertEquals(0, index.stats(Set.of("test.log")).rawBytes());
        assertEquals(DeltaRoundTrip.STATS.nanosPerWire(), parts.nanosPerWire());
    }

    /** Jenkins core and transfers follow such a link, too. */
    @Test
    void linkToArchiveIsFollowed() throws IOException {
        Path link = Files.createSymbolicLink(tmp.resolve("link"), archive);
        assertEquals(
                ChunkIndex.of(archive, DeltaRoundTrip.STATS).chunkCount(),
                ChunkIndex.of(link, DeltaRoundTrip.STATS).chunkCount());
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void fileNameWithBackslashIsFound() throws IOException {
        Path folder = Files.createDirectory(tmp.resolve("strange"));
        Path strange = Files.write(folder.resolve("a\\b"), History.noise(1, 100_000));
        try (ReferenceArchive reference = DeltaRoundTrip.opened(folder)) {
            byte[] delta = DeltaRoundTrip.delta(DeltaRoundTrip.encoder(reference), strange);
            assertArrayEquals(
                    Files.readAllBytes(strange),
                    reference.decode(new ByteArrayInputStream(delta)).readAllBytes());
        }
    }

    /** A full window for each file would take a quarter of a megabyte, on both ends. */
    @Test
    void smallFilesAllocateLittleHeap() throws IOException {
        for (int i = 0; i < 300; i++) {
            Files.write(archive.resolve("small" + i), History.noise(i, 1000));
        }
        ChunkIndex.of(archive, DeltaRoundTrip.STATS);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getThreadAllocatedBytes(Thread.currentThread().getId());
        ChunkIndex.of(archive, DeltaRoundTrip.STATS);
        long allocated = threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before;
        assertTrue(allocated < 300 * 100_000L, allocated + " bytes");
    }

    @Test
    void failedWriteLeavesNoPartialIndex() throws IOException {
        Path gone = tmp.resolve("deleted").resolve(ChunkIndex.FILE);
        assertThrows(
                IOException.class,
                () -> ChunkIndex.of(archive, DeltaRoundTrip.STATS).write(gone));
        assertTrue(Files.notExists(gone.getParent()));
    }

    @Test
    void indexWithoutChunksHasEmptySignature() throws IOException {
        for (int i = 0; i < 200; i++) {
            Files.write(archive.resolve("f" + i), History.noise(i, 600));
        }
        assertEquals(0, ChunkIndex.withoutChunks(DeltaRoundTrip.STATS).signatureBytes());
        ChunkIndex.withoutChunks(DeltaRoundTrip.STATS).write(file);
        assertEquals(0, ChunkIndex.read(file).chunkCount());
        assertTrue(ChunkIndex.of(archive, DeltaRoundTrip.STATS).chunkCount() > 200);
    }

    @Test
    void openIndexesOfOneAgentUseHalfOfASixteenthOfHeap() throws Exception {
        ChunkIndex.of(archive, DeltaRoundTrip.STATS).write(file);
        List<String> printed = Jvm.run(List.of("-Xmx32m"), Many.class, archive.toString(), file.toString());
        assertEquals(List.of("null", "opened", "opened"), printed);
    }

    /** Opens the same index until the limit refuses it, in a separate JVM. */
    static final class Many {
        private Many() {}

        public static void main(String[] args) {
            Path archive = Path.of(args[0]);
            Path index = Path.of(args[1]);
            Deque<ReferenceArchive> open = new ArrayDeque<>();
            ReferenceArchive next = ReferenceArchive.open("agent", archive, index);
            for (long taken = 0;
                    taken < 1 << 20 && next != null;
                    taken += 3 * index.toFile().length()) {
                open.push(next);
                next = ReferenceArchive.open("agent", archive, index);
            }
            System.out.println(next);
            System.out.println(ReferenceArchive.open("another", archive, index) == null ? "null" : "opened");
            open.pop().close();
            System.out.println(ReferenceArchive.open("agent", archive, index) == null ? "null" : "opened");
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void deepArchiveNeedsFewDescriptors() throws Exception {
        OpenFiles.deepFile(archive, History.noise(1, 10_000));
        int most = OpenFiles.most(() -> ChunkIndex.of(archive, DeltaRoundTrip.STATS));
        assertTrue(most < 300, most + " open at a time");
    }

    /** On other file systems a copy is read and written in full. */
    @Test
    void reflinksDependOnFileSystem() {
        for (String type : List.of("xfs", "btrfs", "zfs")) {
            assertTrue(ReferenceArchive.mayHaveReflinks(type), type);
        }
        for (String type : List.of("ext4", "tmpfs", "ramfs", "nfs4", "ceph", "overlay", "fuse.glusterfs", "NTFS", "")) {
            assertFalse(ReferenceArchive.mayHaveReflinks(type), type);
        }
    }
}
