package io.jenkins.plugins.compressionaware.engine.framefile;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

class RetryingRenameTest {
    private final FileSystemException first = new FileSystemException("x", "y", "used by another process");
    private int attempts;
    private long waited;

    /** @param failing number of attempts that fail, the first with {@link #first}, the others with {@code other} */
    private void rename(int failing, boolean windows, FileSystemException other) throws IOException {
        RetryingRename.retry(
                () -> {
                    if (attempts++ < failing) {
                        throw attempts == 1 ? first : other;
                    }
                },
                windows,
                millis -> waited += millis);
    }

    @Test
    void renameOnWindowsIsRetriedUntilItSucceeds() {
        assertDoesNotThrow(() -> rename(5, true, first));
        assertEquals(6, attempts);
    }

    @Test
    void retriesStopAfterTenSecondsWithFirstFailure() {
        FileSystemException other = new FileSystemException("x");
        assertSame(first, assertThrows(IOException.class, () -> rename(1000, true, other)));
        assertEquals(10_000, waited);
    }

    @Test
    void renameOfMissingFileOrOutsideWindowsIsNotRetried() {
        assertSame(first, assertThrows(IOException.class, () -> rename(9, true, new NoSuchFileException("x"))));
        assertEquals(2, attempts);
        attempts = 0;
        assertSame(first, assertThrows(IOException.class, () -> rename(9, false, first)));
        assertEquals(1, attempts);
    }

    @Test
    void interruptStopsRetriesAndStaysSet() {
        RetryingRename.Sleeper interrupted = millis -> {
            throw new InterruptedException();
        };
        RetryingRename.Attempt failing = () -> {
            attempts++;
            throw first;
        };
        assertSame(first, assertThrows(IOException.class, () -> RetryingRename.retry(failing, true, interrupted)));
        assertTrue(Thread.interrupted());
        assertEquals(1, attempts);
    }
}
