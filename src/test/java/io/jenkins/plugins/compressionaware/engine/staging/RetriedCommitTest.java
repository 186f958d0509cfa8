package io.jenkins.plugins.compressionaware.engine.staging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** Commits to an archive while renames fail for some time, or until an interrupt. */
class RetriedCommitTest extends CommitTestBase {
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
}
