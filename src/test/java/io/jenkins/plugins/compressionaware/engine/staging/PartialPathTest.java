package io.jenkins.plugins.compressionaware.engine.staging;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class PartialPathTest {
    private final FileSystemException first = new FileSystemException("x", "y", "used by another process");
    private int attempts;
    private boolean interrupted;
    private final FailingFileOperations paused = new FailingFileOperations((from, to) -> false);

    /** @param failing number of attempts that fail, the first with {@link #first}, the others with {@code other} */
    private void publish(int failing, Configuration system, FileSystemException other) throws IOException {
        FileOperations files = new FileOperations() {
            @Override
            void rename(Path from, Path to) throws IOException {
                if (attempts++ < failing) {
                    throw attempts == 1 ? first : other;
                }
                super.rename(from, to);
            }

            @Override
            void pause(long millis) throws InterruptedException {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                paused.pause(millis);
            }
        };
        try (FileSystem disk = Jimfs.newFileSystem(system)) {
            Path folder = Files.createDirectories(disk.getPath("folder"));
            Path partial = Files.writeString(PartialPath.create(folder), "new");
            Path file = Files.writeString(folder.resolve("file"), "old");
            PartialPath.publish(partial, file, files);
            assertEquals("new", Files.readString(file));
            assertTrue(Files.notExists(partial));
        }
    }

    @Test
    void renameOnWindowsIsRetriedUntilItSucceeds() {
        assertDoesNotThrow(() -> publish(5, Configuration.windows(), first));
        assertEquals(6, attempts);
    }

    @Test
    void retriesStopAfterTenSecondsWithFirstFailure() {
        FileSystemException other = new FileSystemException("x");
        assertSame(first, assertThrows(IOException.class, () -> publish(1000, Configuration.windows(), other)));
        assertEquals(10_000, paused.waited());
    }

    /** An NFS client repeats a request whose reply is lost, and the server no longer has the file. */
    @Test
    void renameWithLostReplySucceeds() throws Exception {
        FileOperations files = new FileOperations() {
            @Override
            void rename(Path from, Path to) throws IOException {
                super.rename(from, to);
                throw new NoSuchFileException(from.toString());
            }
        };
        try (FileSystem disk = Jimfs.newFileSystem(Configuration.unix())) {
            Path partial = Files.writeString(disk.getPath("partial"), "new");
            Path file = Files.writeString(disk.getPath("file"), "old");
            PartialPath.publish(partial, file, files);
            assertEquals("new", Files.readString(file));
            assertThrows(NoSuchFileException.class, () -> PartialPath.publish(partial, file, files), "nothing moves");
        }
    }

    @Test
    void renameOfMissingFileOrOutsideWindowsIsNotRetried() {
        NoSuchFileException missing = new NoSuchFileException("x");
        assertSame(first, assertThrows(IOException.class, () -> publish(9, Configuration.windows(), missing)));
        assertEquals(2, attempts);
        attempts = 0;
        assertSame(first, assertThrows(IOException.class, () -> publish(9, Configuration.unix(), first)));
        assertEquals(1, attempts);
    }

    @Test
    void interruptStopsRetriesAndStaysSet() {
        interrupted = true;
        assertSame(first, assertThrows(IOException.class, () -> publish(9, Configuration.windows(), first)));
        assertTrue(Thread.interrupted());
        assertEquals(1, attempts);
    }
}
