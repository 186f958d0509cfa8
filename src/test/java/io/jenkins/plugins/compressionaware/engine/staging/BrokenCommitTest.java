package io.jenkins.plugins.compressionaware.engine.staging;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static io.jenkins.plugins.compressionaware.testing.FileTrees.list;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.CopyOption;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commits to an archive while renames fail. */
@Timeout(60)
class BrokenCommitTest {
    /** One commit adds a file, a folder and a link, and replaces two files and a link. */
    private static final int RENAMES = 6;

    private static final CopyOption[] COPY = {LinkOption.NOFOLLOW_LINKS, StandardCopyOption.COPY_ATTRIBUTES};

    @TempDir
    private Path tmp;

    private Path build;
    private Path archive;
    private Map<String, String> earlier;

    @BeforeEach
    void prepare() throws Exception {
        build = Files.createDirectory(tmp.resolve("build")).toRealPath();
        archive = build.resolve("archive");
        write(archive, "kept", "one");
        write(archive, "d/kept", "one");
        write(archive, "e/kept", "one");
        write(archive, "d/replaced", "one");
        write(archive, "d/e/replaced too", "one");
        Files.createSymbolicLink(archive.resolve("d/link"), Path.of("replaced"));
        earlier = FileTrees.describe(archive);
    }

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
    void temporaryRenameFailuresAreRetried() throws Exception {
        Map<String, String> later = later();
        FailingFileOperations files = FailingFileOperations.at(number -> number % 4 != 0);
        commit(archive, files);
        assertEquals(later, FileTrees.describe(archive));
        assertOnlyTheArchive();
        assertEquals(List.of(10L, 20L, 40L), files.pauses.subList(0, 3));
    }

    @Test
    void retriesStopAfterTenSeconds() {
        FailingFileOperations files = new FailingFileOperations((from, to) -> to.endsWith("new"));
        assertThrows(IOException.class, () -> commit(archive, files));
        assertTrue(files.waited() >= 10_000 && files.waited() <= 10_500, "waited " + files.waited() + " ms");
        assertEquals(500, files.pauses.get(files.pauses.size() - 1));
    }

    /** On Windows, a virus scanner may hold a file for that long. */
    @Test
    void firstArchiveMovesAsWholeAfterRetries() throws Exception {
        FailingFileOperations files = FailingFileOperations.at(number -> number < 10);
        try (FileSystem windows = Jimfs.newFileSystem(Configuration.windows())) {
            Path other = windows.getPath("other");
            FailingFileOperations.commit(other, files, "new");
            assertTrue(Files.exists(other.resolve("new")));
        }
        assertEquals(10, files.renames, "all of them of the whole folder");
        assertTrue(files.waited() > 2_000 && files.waited() < 5_000, "waited " + files.waited() + " ms");
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
    void permanentFailuresAreNotRetried() {
        for (IOException lasting : List.of(new NoSuchFileException("x"), new AccessDeniedException("x"))) {
            FailingFileOperations files = new FailingFileOperations((from, to) -> false) {
                @Override
                void rename(Path from, Path to) throws IOException {
                    if (to.endsWith("new")) {
                        throw lasting;
                    }
                    super.rename(from, to);
                }
            };
            assertThrows(IOException.class, () -> commit(archive, files));
            assertEquals(List.of(), files.pauses);
        }
    }

    @Test
    void interruptDuringRetryNamesMovedFiles() throws Exception {
        FailingFileOperations files = new FailingFileOperations((from, to) -> {
            if (to.endsWith("d/replaced")) {
                Thread.currentThread().interrupt();
                return true;
            }
            return false;
        });
        InterruptedException stopped = assertThrows(InterruptedException.class, () -> commit(archive, files));
        assertTrue(
                stopped.getMessage().startsWith("Interrupted. Missing, or as it was before: d/replaced. Has arrived: "),
                stopped.getMessage());
        assertOnlyTheArchive();
    }

    /** A complete archive is better than a partial one. */
    @Test
    void interruptOutsideRetryCompletesArchive() throws Exception {
        Map<String, String> later = later();
        FailingFileOperations files = new FailingFileOperations((from, to) -> {
            Thread.currentThread().interrupt();
            return false;
        });
        commit(archive, files);
        assertTrue(Thread.interrupted(), "the interrupt stays pending");
        assertEquals(later, FileTrees.describe(archive));
        assertOnlyTheArchive();
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

    /** A parallel branch commits while this commit waits for a file in use. */
    @Test
    void otherCommitsProceedDuringRetry() throws Exception {
        FailingFileOperations files = new FailingFileOperations((from, to) -> to.endsWith("new")) {
            @Override
            void pause(long millis) throws InterruptedException {
                super.pause(millis);
                FutureTask<Void> other = new FutureTask<>(() -> {
                    try (StagedArchive staged = new StagedArchive(archive, null)) {
                        write(staged.folder(), "other" + millis, "");
                        staged.commit();
                    }
                    return null;
                });
                new Thread(other).start();
                try {
                    other.get();
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            }
        };
        assertThrows(IOException.class, () -> commit(archive, files));
        assertTrue(Files.exists(archive.resolve("other10")));
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

    private static void fill(Path staged) throws IOException {
        write(staged, "new", "second");
        write(staged, "f/g/new", "second");
        write(staged, "d/replaced", "second");
        write(staged, "d/e/replaced too", "second");
        Files.createSymbolicLink(staged.resolve("d/link"), Path.of("kept"));
        Files.createSymbolicLink(staged.resolve("new link"), Path.of("new"));
    }

    private Map<String, String> later() throws IOException {
        Path staged = Files.createDirectory(tmp.resolve("later"));
        fill(staged);
        Map<String, String> later = new TreeMap<>(earlier);
        later.putAll(FileTrees.describe(staged));
        return later;
    }

    private static void commit(Path archive, FileOperations files) throws IOException, InterruptedException {
        try (StagedArchive staged = new StagedArchive(StagedArchive.real(archive), null, files)) {
            fill(staged.folder());
            staged.commit();
        }
    }

    private static void write(Path root, String name, String content) {
        Path file = root.resolve(name);
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, content);
            // equal times, because tests compare them
            Files.setLastModifiedTime(file, FileTime.fromMillis(0));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void assertOnlyTheArchive() throws IOException {
        assertEquals(List.of("archive"), list(build));
    }
}
