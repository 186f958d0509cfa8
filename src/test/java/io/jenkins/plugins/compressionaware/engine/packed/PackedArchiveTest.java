package io.jenkins.plugins.compressionaware.engine.packed;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import io.jenkins.plugins.compressionaware.testing.Command;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PackedArchiveTest {
    @TempDir
    Path tmp;

    private Path tree;
    private Path archive;

    @BeforeEach
    void prepare() throws Exception {
        tree = Files.createDirectory(tmp.resolve("tree"));
        archive = tmp.resolve("archive");
    }

    private Path file(int number) {
        return archive.resolve("packed-artifacts").resolve(number + ".tar.zst");
    }

    private PackedArchive packed() throws Exception {
        Packed.archive(tree, archive);
        return PackedArchive.of(archive);
    }

    private static String text(PackedArchive packed, String name) throws Exception {
        try (InputStream in = packed.find(name).open()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void hasAllOfARandomTree(long seed) throws Exception {
        RandomTree.create(tree, seed);
        PackedArchive packed = packed();
        assertSame("", packed);
        assertEquals(
                List.of("archive", "tree"),
                FileTrees.list(tmp).stream().filter(n -> !n.equals("journal")).toList());
    }

    private void assertSame(String folder, PackedArchive packed) throws Exception {
        Map<String, PackedArchive.Found> children = packed.list(folder);
        assertEquals(FileTrees.list(tree.resolve(folder)), new ArrayList<>(new TreeMap<>(children).keySet()));
        for (String child : children.keySet()) {
            String name = folder.isEmpty() ? child : folder + '/' + child;
            Path path = tree.resolve(name);
            PackedArchive.Found found = packed.find(name);
            assertEquals(children.get(child).entry(), found.entry(), name);
            if (Files.isSymbolicLink(path)) {
                assertEquals(
                        Files.readSymbolicLink(path).toString(), found.entry().target());
            } else if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                assertTrue(found.isFolder());
                assertSame(name, packed);
            } else {
                assertFile(path, found);
            }
        }
    }

    private static void assertFile(Path path, PackedArchive.Found found) throws Exception {
        byte[] content = Files.readAllBytes(path);
        TarEntry entry = found.entry();
        assertEquals(TarEntry.FILE, entry.type());
        assertEquals(content.length, entry.size());
        assertEquals(Files.getLastModifiedTime(path).to(TimeUnit.SECONDS), entry.seconds(), 1);
        int mode = 0;
        for (PosixFilePermission permission : Files.getPosixFilePermissions(path)) {
            mode |= 0400 >> permission.ordinal();
        }
        assertEquals(mode, entry.mode());
        try (InputStream in = found.open()) {
            assertArrayEquals(content, in.readAllBytes());
        }
        if (content.length > 0) {
            int middle = content.length / 2;
            try (InputStream in = found.open()) {
                assertEquals(middle, in.skip(middle));
                assertEquals(content[middle], (byte) in.read());
                assertEquals(content.length - middle - 1, in.skip(Long.MAX_VALUE));
                assertEquals(-1, in.read());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Codec.class,
            names = {"NONE", "GZIP", "ZSTD"})
    void ordinaryToolsReadIt(Codec codec) throws Exception {
        RandomTree.create(tree, 9);
        Packed.archive(tree, FileTrees.names(tree), archive, codec);
        Path out = Files.createDirectory(tmp.resolve("out"));
        Command.run("sh", "-c", "zstd -dc '" + file(1) + "' | tar x -C '" + out + "'");
        assertEquals("", Command.run("diff", "-r", "--no-dereference", tree.toString(), out.toString()));
    }

    /** The program of another project finds any byte, with the table of frames alone. */
    @Test
    void seekTableIsThatOfZstd() throws Exception {
        assumeTrue(Command.works("python3", "-c", "import pyzstd"), "the module pyzstd is not installed");
        Files.write(tree.resolve("noise"), FileTrees.noise(500_000));
        FileTrees.write(tree, "text", "text ".repeat(50_000));
        packed();
        String program = "import pyzstd, sys; f = pyzstd.SeekableZstdFile(sys.argv[1]);"
                + " f.seek(600000); a = f.read(1000); f.seek(0); b = f.read(); print(b[600000:601000] == a, len(b))";
        long length = PackedFile.of(file(1)).rawBytes();
        assertEquals(
                "True " + length,
                Command.run("python3", "-c", program, file(1).toString()).trim());
    }

    @Test
    void laterStepWins() throws Exception {
        FileTrees.write(tree, "a/same", "first");
        FileTrees.write(tree, "a/first", "only");
        packed();
        FileTrees.delete(tree);
        FileTrees.write(tree, "a/same", "second");
        FileTrees.write(tree, "b", "new");
        PackedArchive both = packed();
        assertEquals(List.of("1.tar.zst", "2.tar.zst"), FileTrees.list(archive.resolve("packed-artifacts")));
        assertEquals("second", text(both, "a/same"));
        assertEquals("only", text(both, "a/first"));
        assertEquals(Set.of("a", "b"), both.list("").keySet());
        assertEquals(Set.of("first", "same"), both.list("a").keySet());
        assertNull(both.find("a/other"));
        assertNull(both.find("a/fir"));
    }

    /** As for files, where the disk refuses it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void fileInPlaceOfAFolderIsRefused(boolean plain) throws Exception {
        FileTrees.write(tree, "a/b", "1");
        if (plain) {
            FileTrees.write(archive, "a/b", "1");
        } else {
            packed();
        }
        FileTrees.delete(tree);
        FileTrees.write(tree, "a", "2");
        assertFails("Cannot archive into " + archive + ": a exists, and is a folder", this::packed);
        FileTrees.delete(tree);
        FileTrees.write(tree, "a/b/c", "2");
        assertFails("Cannot archive into " + archive + ": a/b exists, and is no folder", this::packed);
        assertEquals(
                plain ? 0 : 1,
                FileTrees.list(archive.resolve("packed-artifacts")).size());
    }

    @Test
    void replacedPlainFilesAreDeleted() throws Exception {
        FileTrees.write(archive, "a/x", "old");
        FileTrees.write(archive, "a/y", "kept");
        FileTrees.write(tree, "a/x", "new");
        assertEquals("new", text(packed(), "a/x"));
        assertEquals(List.of("y"), FileTrees.list(archive.resolve("a")));
    }

    @Test
    void damagedBlockFailsOnlyItsFiles() throws Exception {
        FileTrees.write(tree, "a", "first");
        Files.write(tree.resolve("b"), FileTrees.noise(10 * Packed.BLOCK));
        FileTrees.write(tree, "c", "last");
        packed();
        try (RandomAccessFile bytes = new RandomAccessFile(file(1).toFile(), "rw")) {
            bytes.seek(5 * Packed.BLOCK);
            bytes.write(new byte[100]);
        }
        PackedArchive packed = PackedArchive.of(archive);
        assertEquals("first", text(packed, "a"));
        assertEquals("last", text(packed, "c"));
        assertFails("Cannot read b: block 5 was damaged (wrong checksum)", () -> text(packed, "b"));
    }

    @Test
    void damagedIndexIsRebuilt() throws Exception {
        RandomTree.create(tree, 11);
        Packed.archive(tree, archive);
        long end = Files.size(file(1));
        try (RandomAccessFile bytes = new RandomAccessFile(file(1).toFile(), "rw")) {
            bytes.setLength(end - 300);
        }
        assertSame("", PackedArchive.of(archive));
    }

    @Test
    void truncatedFileHasTheFilesBefore() throws Exception {
        FileTrees.write(tree, "a", "first");
        Files.write(tree.resolve("b"), FileTrees.noise(10 * Packed.BLOCK));
        FileTrees.write(tree, "c", "last");
        packed();
        try (RandomAccessFile bytes = new RandomAccessFile(file(1).toFile(), "rw")) {
            bytes.setLength(5 * Packed.BLOCK);
        }
        PackedArchive packed = PackedArchive.of(archive);
        assertEquals(Set.of("a"), packed.list("").keySet());
        assertEquals("first", text(packed, "a"));
    }

    @Test
    void replacedFileIsNoticed() throws Exception {
        FileTrees.write(tree, "a", "first");
        PackedArchive packed = packed();
        assertEquals("first", text(packed, "a"));
        Files.copy(file(1), tmp.resolve("copy"));
        try (InputStream opened = packed.find("a").open()) {
            Files.delete(file(1));
            Files.move(tmp.resolve("copy"), file(1));
            assertEquals("first", new String(opened.readAllBytes(), StandardCharsets.UTF_8));
        }
        assertFails(file(1) + " was replaced while it was read", () -> text(packed, "a"));
        assertEquals("first", text(PackedArchive.of(archive), "a"));
    }

    @Test
    void millionEntriesAreFound() throws Exception {
        Packed.emptyFiles(1_000_000, archive);
        PackedArchive packed = PackedArchive.of(archive);
        assertEquals(1_000, packed.list("").size());
        assertEquals(1_000, packed.list("folder999").size());
        assertEquals("", text(packed, "folder999/file999999"));
        assertNull(packed.find("folder999/file1000000"));
    }

    /** A build may archive files of any name. */
    @Test
    void otherFilesAreNoPackedArchives() throws Exception {
        FileTrees.write(archive, "packed-artifacts/1.tar.zst", "mine");
        FileTrees.write(archive, "packed-artifacts/x.tar.zst", "mine");
        assertNull(PackedArchive.of(archive));
        FileTrees.write(tree, "a", "first");
        assertNotNull(packed().find("a"));
        assertEquals(
                Set.of(2),
                PackedArchive.list(archive.resolve("packed-artifacts")).keySet());
    }
}
