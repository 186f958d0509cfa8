package io.jenkins.plugins.compressionaware.engine.staging;

import static io.jenkins.plugins.compressionaware.engine.staging.FailingFileOperations.commit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Commits while another commit hangs on the disk: only commits into the same archive wait. */
@Timeout(60)
class ArchiveLockTest {
    @TempDir
    Path tmp;

    private final CountDownLatch hanging = new CountDownLatch(1);
    private final CountDownLatch wake = new CountDownLatch(1);
    private final int archivesBefore = ArchiveLock.openCount();
    private Path archive;
    private FutureTask<Void> hung;

    @BeforeEach
    void hang() throws Exception {
        archive = Files.createDirectory(tmp.resolve("archive"));
        FileOperations disk = new FailingFileOperations((from, to) -> {
            hanging.countDown();
            awaitUninterruptibly();
            return false;
        });
        hung = new FutureTask<>(() -> {
            commit(archive, disk, "hung");
            return null;
        });
        new Thread(hung).start();
        hanging.await();
    }

    private void awaitUninterruptibly() {
        try {
            wake.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void wake() throws Exception {
        wake.countDown();
        hung.get();
        assertTrue(Files.exists(archive.resolve("hung")));
        assertEquals(archivesBefore, ArchiveLock.openCount(), "locks of unused archives are discarded");
    }

    @Test
    void otherArchiveDoesNotWait() throws Exception {
        commit(tmp.resolve("other"), new FileOperations(), "a");
        commit(tmp.resolve("other"), new FileOperations(), "b");
        assertTrue(Files.exists(tmp.resolve("other/b")));
    }

    @Test
    void sameArchiveWaitsAndCanBeInterrupted() throws Exception {
        assertWaitsUntilInterrupted(archive);
        assertFalse(Files.exists(archive.resolve("waiting")));
    }

    @Test
    void otherPathToSameArchiveWaits() throws Exception {
        Path alias = Files.createSymbolicLink(tmp.resolve("alias"), tmp);
        assertWaitsUntilInterrupted(alias.resolve("archive"));
        assertWaitsUntilInterrupted(Files.createSymbolicLink(tmp.resolve("link"), archive));
    }

    private static void assertWaitsUntilInterrupted(Path archive) throws Exception {
        FutureTask<Void> waiting = new FutureTask<>(() -> {
            assertThrows(InterruptedException.class, () -> commit(archive, new FileOperations(), "waiting"));
            return null;
        });
        Thread thread = new Thread(waiting);
        thread.start();
        Awaitility.await().until(() -> thread.getState() == Thread.State.WAITING);
        thread.interrupt();
        waiting.get();
    }
}
