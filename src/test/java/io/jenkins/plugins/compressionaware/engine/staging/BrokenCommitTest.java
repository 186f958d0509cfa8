package io.jenkins.plugins.compressionaware.engine.staging;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static io.jenkins.plugins.compressionaware.testing.FileTrees.list;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.CopyOption;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Commits to an archive while renames fail. */
class BrokenCommitTest extends CommitTestBase {
    /** One commit adds a file, a folder and a link, and replaces two files and a link. */
    private static final int RENAMES = 6;

    private static final CopyOption[] COPY = {LinkOption.NOFOLLOW_LINKS, StandardCopyOption.COPY_ATTRIBUTES};

    @Test
    void pathsAreOldOrNewAfterPermanentRenameFailure() throws Exception {
        Map<String, String> later = later();
        for (String victim : List.of("new", "d/replaced", "d/e/replaced too", "d/link", "new link")) {
            Path other = copyOfTheArchive(victim);
            FailingFileOperations files = new FailingFileOperations((from, to) -> to.endsWith(victim));
            IOException failure = assertThrows(IOException.class, () -> commit(other, files));
            assertInstanceOf(FileSystemException.class, failure.getCause().getCause());
            String message = failure.getMessage();
            assertTrue(
                    message.startsWith(
                            "Cannot archive into " + other + ": " + victim + " could not be moved: in use. "),
                    message);
            assertTrue(message.contains(". Missing, or as it was before: " + victim + ". Has arrived: "), message);
            Map<String, String> expected = new HashMap<>(later);
            expected.keySet().removeIf(name -> name.equals(victim) || name.startsWith(victim + "/"));
            if (earlier.containsKey(victim)) {
                expected.put(victim, earlier.get(victim));
            }
            assertEquals(expected, Map.copyOf(FileTrees.describe(other)), victim);
            assertEquals(List.of("archive"), list(other.getParent()));
        }
        FailingFileOperations healthy = new FailingFileOperations((from, to) -> false);
        commit(archive, healthy);
        assertEquals(RENAMES, healthy.renames);
        assertEquals(later, FileTrees.describe(archive));
    }

    /** The message names up to twenty files. */
    @Test
    void failureNamesMovedFiles() throws Exception {
        FailingFileOperations files = new FailingFileOperations((from, to) -> to.endsWith("new"));
        IOException failure = assertThrows(IOException.class, () -> commit(archive, files));
        String arrived = failure.getMessage().replaceAll(".*Has arrived: ", "");
        assertEquals(
                List.of("d/e/replaced too", "d/link", "d/replaced", "f", "new link"),
                List.of(arrived.split(", ")).stream().sorted().toList());

        Path another = tmp.resolve("another/archive");
        Files.createDirectories(another);
        FailingFileOperations none = new FailingFileOperations((from, to) -> true);
        assertFailsWith(" and 10 more. Nothing has arrived", () -> {
            try (StagedArchive staged = new StagedArchive(StagedArchive.real(another), null, none)) {
                for (int i = 0; i < 30; i++) {
                    write(staged.folder(), "file" + i, "");
                }
                staged.commit();
            }
        });
    }

    @Test
    void immovableFolderIsMovedFileByFile() throws Exception {
        Path other = build.resolve("other");
        FailingFileOperations files = new FailingFileOperations((from, to) -> Files.isDirectory(from));
        commit(other, files);
        assertEquals(List.of(), files.pauses, "waiting would not help");
        Path staged = Files.createDirectory(tmp.resolve("same"));
        fill(staged);
        assertEquals(FileTrees.describe(staged), FileTrees.describe(other));
        assertEquals(List.of("archive", "other"), list(build));
    }

    /** A killed process may have left a part of the copy. */
    @Test
    void repeatedMoveToAnotherDiskReplacesPartOfCopy() throws Exception {
        FailingFileOperations files = new FailingFileOperations((from, to) -> false) {
            @Override
            void rename(Path from, Path to) throws IOException {
                if (!from.getParent().equals(to.getParent())) {
                    throw new AtomicMoveNotSupportedException(from.toString(), to.toString(), "another disk");
                }
                super.rename(from, to);
            }
        };
        try (StagedArchive staged = new StagedArchive(archive, null, files)) {
            write(staged.folder(), "d/replaced", "second");
            write(archive, "d/" + staged.folder().getFileName(), "sec");
            staged.commit();
        }
        assertEquals("second", Files.readString(archive.resolve("d/replaced")));
        assertEquals(List.of("e", "kept", "link", "replaced"), list(archive.resolve("d")));
    }

    /** An NFS client repeats a request whose reply is lost, and the server no longer has the file. */
    @Test
    void renameWithLostReplySucceeds() throws Exception {
        for (Path target : List.of(build.resolve("other"), archive)) {
            FileOperations files = new FileOperations() {
                @Override
                void rename(Path from, Path to) throws IOException {
                    super.rename(from, to);
                    throw new NoSuchFileException(from.toString());
                }
            };
            commit(target, files);
            assertEquals("second", Files.readString(target.resolve("d/replaced")));
        }
        assertEquals(later(), FileTrees.describe(archive));
        assertEquals(List.of("archive", "other"), list(build));
    }

    /** The destination may have another file of the same name. */
    @Test
    void missingFileIsNotMistakenForExistingFile() {
        FileOperations files = new FileOperations() {
            @Override
            void rename(Path from, Path to) throws IOException {
                if (to.endsWith("d/replaced")) {
                    Files.deleteIfExists(from);
                }
                super.rename(from, to);
            }
        };
        IOException e = assertThrows(IOException.class, () -> commit(archive, files));
        assertTrue(e.getMessage().contains("d/replaced could not be moved"), e::getMessage);
    }

    @Test
    void replacedFileExistsDuringCommit() throws Exception {
        FailingFileOperations files = new FailingFileOperations((from, to) -> {
            assertTrue(Files.exists(archive.resolve("d/replaced")));
            return false;
        });
        commit(archive, files);
    }

    /** Another process may write to a folder that has just been moved. */
    @Test
    void filesOfOtherProcessesAreKept() throws Exception {
        FailingFileOperations files = new FailingFileOperations((from, to) -> {
            write(archive, "f/g/foreign", "theirs");
            return to.endsWith("new");
        });
        assertThrows(IOException.class, () -> commit(archive, files));
        assertEquals("theirs", Files.readString(archive.resolve("f/g/foreign")));
        assertEquals("second", Files.readString(archive.resolve("d/replaced")));
    }

    @Test
    void failedDeletionAfterCommitIsIgnored() throws Exception {
        Map<String, String> later = later();
        FailingFileOperations files = new FailingFileOperations((from, to) -> false) {
            @Override
            void delete(Path path) throws IOException {
                throw new AccessDeniedException(path.toString());
            }
        };
        commit(archive, files);
        assertEquals(later, FileTrees.describe(archive));
        assertEquals(2, list(build).size());
        assertFalse(files.renames > RENAMES, "no rename is retried");
    }

    private Path copyOfTheArchive(String name) throws IOException {
        Path copy = Files.createDirectories(tmp.resolve("copies/" + name.replace('/', ' ')))
                .resolve("archive");
        try (var all = Files.walk(archive)) {
            all.forEach(path -> {
                try {
                    Files.copy(path, copy.resolve(archive.relativize(path)), COPY);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
        return copy.toRealPath();
    }
}
