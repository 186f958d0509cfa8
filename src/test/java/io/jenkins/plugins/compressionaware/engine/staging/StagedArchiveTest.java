package io.jenkins.plugins.compressionaware.engine.staging;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static io.jenkins.plugins.compressionaware.testing.FileTrees.list;
import static io.jenkins.plugins.compressionaware.testing.FileTrees.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.Jvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StagedArchiveTest {
    @TempDir
    Path tmp;

    private Path build;
    private Path archive;
    private Path elsewhere;

    @BeforeEach
    void prepare() throws Exception {
        build = Files.createDirectory(tmp.resolve("build"));
        archive = build.resolve("archive");
        elsewhere = Files.createDirectory(tmp.resolve("elsewhere"));
        Files.writeString(elsewhere.resolve("file"), "untouched");
    }

    @Test
    void firstCommitIsOneRename() throws Exception {
        try (StagedArchive staged = new StagedArchive(archive, null)) {
            write(staged.folder(), "a/b", "x");
            Object key = Files.readAttributes(staged.folder(), BasicFileAttributes.class)
                    .fileKey();
            staged.commit();
            assertEquals(
                    key,
                    Files.readAttributes(archive, BasicFileAttributes.class).fileKey());
        }
        assertEquals("x", Files.readString(archive.resolve("a/b")));
        assertOnlyTheArchive();
    }

    @Test
    void filesAreNotInArchiveBeforeCommit() throws Exception {
        try (StagedArchive staged = new StagedArchive(archive, null)) {
            write(staged.folder(), "a", "x");
            assertFalse(Files.exists(archive));
        }
        assertFalse(Files.exists(archive));
        assertTrue(list(build).isEmpty(), "nothing is left");
    }

    @Test
    void emptyFolderIsAddedOrMerged() throws Exception {
        write(archive, "d/kept", "one");
        try (StagedArchive staged = new StagedArchive(archive, null)) {
            Files.createDirectory(staged.folder().resolve("d"));
            Files.createDirectory(staged.folder().resolve("empty"));
            staged.commit();
        }
        assertEquals("one", Files.readString(archive.resolve("d/kept")));
        assertTrue(Files.isDirectory(archive.resolve("empty")));
        assertOnlyTheArchive();
    }

    @Test
    void fileReplacesLinkOfEarlierArchive() throws Exception {
        Files.createDirectory(archive);
        Files.createSymbolicLink(archive.resolve("absolute"), elsewhere.resolve("file"));
        Files.createSymbolicLink(archive.resolve("relative"), Path.of("../../elsewhere/file"));
        Files.createSymbolicLink(archive.resolve("dangling"), elsewhere.resolve("new"));
        Files.createSymbolicLink(archive.resolve("folder"), elsewhere);
        List<String> names = List.of("absolute", "relative", "dangling", "folder");
        commit(archive, names.toArray(String[]::new));
        for (String name : names) {
            assertTrue(Files.isRegularFile(archive.resolve(name), LinkOption.NOFOLLOW_LINKS), name);
        }
        assertElsewhereUntouched();
    }

    @Test
    void folderIsNotWrittenThroughLinkOfEarlierArchive() throws Exception {
        for (Path target : List.of(elsewhere, Path.of("../../elsewhere"), Path.of("missing"))) {
            Files.createDirectories(archive);
            Files.deleteIfExists(archive.resolve("dir"));
            Files.createSymbolicLink(archive.resolve("dir"), target);
            assertFails(
                    "Cannot archive into " + archive.toRealPath()
                            + ": dir is a link, and nothing is written through links",
                    () -> commit(archive, "dir/file", "other"));
            assertFalse(Files.exists(archive.resolve("other")), "nothing has moved");
            assertElsewhereUntouched();
        }
    }

    @Test
    void linkReplacesFile() throws Exception {
        write(archive, "a", "one");
        try (StagedArchive staged = new StagedArchive(archive, null)) {
            Files.createSymbolicLink(staged.folder().resolve("a"), Path.of("/nowhere"));
            staged.commit();
        }
        assertEquals(Path.of("/nowhere"), Files.readSymbolicLink(archive.resolve("a")));
        assertOnlyTheArchive();
    }

    @ParameterizedTest
    @CsvSource({"z/y, z/y is a folder in the way of a file", "z/y/x/below, z/y/x is a file in the way of a folder"})
    void deepConflictIsFoundBeforeAnyMove(String name, String reason) throws Exception {
        write(archive, "a/replaced", "one");
        write(archive, "z/y/x", "one");
        IOException refused = assertThrows(IOException.class, () -> commit(archive, "a/replaced", "new", name));
        assertTrue(refused.getMessage().endsWith(": " + reason), refused.getMessage());
        assertEquals("one", Files.readString(archive.resolve("a/replaced")));
        assertFalse(Files.exists(archive.resolve("new")));
        assertOnlyTheArchive();
    }

    @Test
    void archiveFolderMayBeALink() throws Exception {
        Path real = Files.createDirectories(tmp.resolve("other disk/archive"));
        write(real, "kept", "one");
        Files.createSymbolicLink(archive, real);
        commit(archive, "new");
        assertTrue(Files.isSymbolicLink(archive));
        assertEquals("new", Files.readString(real.resolve("new")));
        assertEquals("one", Files.readString(real.resolve("kept")));
        assertOnlyTheArchive();
        assertEquals(1, list(real.getParent()).size(), "nothing is left beside the real folder");
    }

    @Test
    void archiveFolderMustNotBeAFile() throws Exception {
        Files.writeString(archive, "a file");
        assertThrows(IOException.class, () -> new StagedArchive(archive, null), "before anything is transferred");
        assertEquals("a file", Files.readString(archive));
        assertOnlyTheArchive();
    }

    @Test
    void deletedBuildDoesNotReappear() throws Exception {
        Files.delete(build);
        assertFails("Cannot archive: " + build + " does not exist", () -> new StagedArchive(archive, null));
        assertFalse(Files.exists(build));
    }

    @Test
    void closeDeletesLinksButNotTheirTargets() throws Exception {
        try (StagedArchive staged = new StagedArchive(archive, null)) {
            Files.createSymbolicLink(staged.folder().resolve("link"), elsewhere);
            write(staged.folder(), "a/b/c", "x");
        }
        assertTrue(list(build).isEmpty());
        assertElsewhereUntouched();
    }

    private static void commit(Path archive, String... names) throws IOException, InterruptedException {
        FailingFileOperations.commit(archive, new FileOperations(), names);
    }

    private void assertOnlyTheArchive() throws IOException {
        assertEquals(List.of("archive"), list(build));
    }

    private void assertElsewhereUntouched() throws IOException {
        assertEquals(List.of("file"), list(elsewhere));
        assertEquals("untouched", Files.readString(elsewhere.resolve("file")));
    }

    /** An agent may send any number of empty files, and their names compress well. */
    @Test
    void manyFilesInOneFolderNeedLittleHeap() throws Exception {
        List<String> output = Jvm.run(List.of("-Xmx12m"), Many.class, tmp.toString());
        assertEquals(List.of("moved and gone"), output);
    }

    /** Runs in a separate JVM. */
    static final class Many {
        private Many() {}

        public static void main(String[] args) throws Exception {
            Path from = Files.createDirectories(Path.of(args[0], "from", "folder"));
            Path to = Files.createDirectories(Path.of(args[0], "to", "folder"));
            for (int i = 0; i < 120_000; i++) {
                Files.createFile(from.resolve("file" + i));
            }
            FileOperations files = new FileOperations();
            new TreeMerge(from.getParent(), to.getParent(), files, () -> {}).run(new ReentrantLock());
            files.deleteRecursively(to.getParent());
            System.out.println(Files.exists(to) || Files.exists(from) ? "left" : "moved and gone");
        }
    }
}
