package io.jenkins.plugins.compressionaware.engine.staging;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.jenkins.plugins.compressionaware.engine.staging.FileDeduplicator.Method;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.History;
import io.jenkins.plugins.compressionaware.testing.OpenFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisabledOnOs(OS.WINDOWS)
class FileDeduplicatorTest {
    private static final int SIZE = 100_000;

    @TempDir
    Path tmp;

    private Path before;
    private Path after;

    @BeforeEach
    void createBuilds() throws IOException {
        before = Files.createDirectories(tmp.resolve("1/archive"));
        after = Files.createDirectories(tmp.resolve("2/archive"));
        for (Path archive : new Path[] {before, after}) {
            write(archive, "same", 1, SIZE);
            write(archive, "folder/same too", 2, 10 * SIZE);
            write(archive, "changed", archive == before ? 3 : 4, SIZE);
            write(archive, "longer", 5, archive == before ? SIZE : SIZE + 1);
            write(archive, "small", 6, 4095);
            Files.setLastModifiedTime(archive.resolve("same"), FileTime.fromMillis(archive == before ? 1000 : 2000));
        }
        write(before, "a link now", 7, SIZE);
        Files.createSymbolicLink(after.resolve("a link now"), before.resolve("a link now"));
        Files.createSymbolicLink(before.resolve("a link then"), after.resolve("new"));
        write(after, "a link then", 8, SIZE);
        write(after, "new", 8, SIZE);
    }

    private static void write(Path archive, String name, int seed, int length) throws IOException {
        Files.createDirectories(archive.resolve(name).getParent());
        Files.write(archive.resolve(name), History.noise(seed, length));
    }

    private long share(Method method) throws IOException {
        return FileDeduplicator.share(before, after, method, new StagingJournal(tmp.resolve("journal"), tmp));
    }

    private boolean isSameFile(String name) throws IOException {
        return Files.isSameFile(before.resolve(name), after.resolve(name));
    }

    private void assertNothingIsLeft() throws IOException {
        assertEquals(1, FileTrees.list(after.getParent()).size(), "only the archive is left");
        try (var all = Files.walk(tmp)) {
            assertEquals(
                    0, all.filter(path -> path.getParent().endsWith("journal")).count());
        }
    }

    @Test
    void equalFilesBecomeOne() throws IOException {
        byte[] changed = Files.readAllBytes(after.resolve("changed"));

        assertEquals(11 * SIZE, share(Method.HARDLINKS));

        assertTrue(isSameFile("same"));
        assertTrue(isSameFile("folder/same too"));
        assertFalse(isSameFile("changed"));
        assertFalse(isSameFile("longer"));
        assertFalse(isSameFile("small"));
        assertArrayEquals(changed, Files.readAllBytes(after.resolve("changed")));
        assertTrue(Files.isSymbolicLink(after.resolve("a link now")));
        assertTrue(Files.isRegularFile(after.resolve("a link then")));
        assertNothingIsLeft();
        assertEquals(0, share(Method.HARDLINKS), "nothing is left to deduplicate");
    }

    @ParameterizedTest
    @EnumSource(Method.class)
    void contentsModesAndLinksStayUnchanged(Method method) throws IOException {
        Files.setPosixFilePermissions(after.resolve("same"), PosixFilePermissions.fromString("rw-------"));
        Map<String, String> was = FileTrees.describe(after);
        Map<String, String> wasBefore = FileTrees.describe(before);
        FileTime time = Files.getLastModifiedTime(before.resolve("folder/same too"));
        Files.setLastModifiedTime(after.resolve("folder/same too"), time);
        was.put("folder/same too", FileTrees.describe(after).get("folder/same too"));
        share(method);
        assertEquals(was, FileTrees.describe(after));
        assertEquals(wasBefore, FileTrees.describe(before));
        assertNothingIsLeft();
    }

    @Test
    void differentModeOrTooManyLinksPreventHardLink() throws IOException {
        Files.setPosixFilePermissions(after.resolve("same"), PosixFilePermissions.fromString("rwx------"));
        Path names = Files.createDirectory(tmp.resolve("names"));
        for (int i = 1; i < 1000; i++) {
            Files.createLink(names.resolve("name" + i), before.resolve("folder/same too"));
        }
        assertEquals(0, share(Method.HARDLINKS));
        Files.delete(names.resolve("name1"));
        assertEquals(10 * SIZE, share(Method.HARDLINKS));
    }

    @Test
    void linkedFolderIsNotFollowed() throws IOException {
        Path elsewhere = tmp.resolve("elsewhere");
        Files.move(before.resolve("folder"), elsewhere);
        Files.createSymbolicLink(before.resolve("folder"), elsewhere);
        assertEquals(SIZE, share(Method.HARDLINKS));
    }

    /** A finished build may archive again. */
    @Test
    void archivingAgainKeepsReferenceUnchanged() throws Exception {
        share(Method.HARDLINKS);
        Map<String, String> was = FileTrees.describe(before);
        try (StagedArchive staged = new StagedArchive(after, null)) {
            write(staged.folder(), "same", 9, SIZE);
            write(staged.folder(), "folder/same too", 9, 10);
            staged.commit();
        }
        assertEquals(was, FileTrees.describe(before));
        assertFalse(isSameFile("same"));
    }

    @Test
    void deletedReferenceBuildLeavesFilesUnchanged() throws IOException {
        share(Method.HARDLINKS);
        Map<String, String> was = FileTrees.describe(after);
        new FileOperations().deleteRecursively(before.getParent());
        assertEquals(was, FileTrees.describe(after));
    }

    /** Staging must not create the folder of a build that is being deleted. */
    @Test
    void deletedBuildIsNotRecreated() throws IOException {
        Path real = after.toRealPath();
        new FileOperations().deleteRecursively(after.getParent());
        assertThrows(NoSuchFileException.class, () -> new StagedArchive(real, null, new FileOperations()));
        assertFalse(Files.exists(after.getParent()));
    }

    /** Without reflinks, a copy would write all bytes. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void differentFileIsNotCopied() throws IOException {
        write(before, "changed", 3, 100 * SIZE);
        write(after, "changed", 4, 100 * SIZE);
        long written = bytesWritten();
        assertEquals(11 * SIZE, FileDeduplicator.shareWithoutReflinkCheck(before, after, Method.REFLINKS, null));
        written = bytesWritten() - written;
        assertTrue(written < 50 * SIZE, written + " bytes");
        assertNothingIsLeft();
    }

    /** An interrupt would close a {@code FileChannel}, and its sender, which stops Jenkins, would wait for the disk. */
    @Test
    void syncIgnoresInterrupt() throws IOException {
        Thread.currentThread().interrupt();
        FileDeduplicator.sync(after.resolve("same"));
        assertTrue(Thread.interrupted());
    }

    /** Returns how many bytes this process has written. */
    private static long bytesWritten() throws IOException {
        return Long.parseLong(
                Files.readAllLines(Path.of("/proc/self/io")).get(1).substring("wchar: ".length()));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void deepArchiveNeedsFewDescriptors() throws Exception {
        OpenFiles.deepFile(after, new byte[SIZE]);
        int most = OpenFiles.most(() -> share(Method.HARDLINKS));
        assertTrue(most < 300, most + " open at a time");
    }

    /** Older JDKs never use reflinks, so this needs one that copies through the system. */
    @Test
    void diskWithoutReflinksIsLeftUnchanged() throws IOException {
        assumeTrue(Set.of("ext4", "tmpfs").contains(Files.getFileStore(tmp).type()));
        Object file = Files.getAttribute(after.resolve("same"), "unix:ino");
        assertEquals(0, share(Method.REFLINKS));
        assertEquals(file, Files.getAttribute(after.resolve("same"), "unix:ino"));
    }
}
