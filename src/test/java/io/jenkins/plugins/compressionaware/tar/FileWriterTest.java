package io.jenkins.plugins.compressionaware.tar;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FileWriterTest {
    private static final FileTime TIME = FileTime.fromMillis(1_700_000_000_000L);

    private final FileWriter writer = new FileWriter();

    @TempDir
    private Path tmp;

    /** The usual umask takes the right to write from group and others, and nobody may read some of them. */
    @ParameterizedTest
    @CsvSource({"0777, rwxrwxrwx", "0666, rw-rw-rw-", "0644, rw-r--r--", "0444, r--r--r--", "0060, ---rw----"})
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "it has no such permissions")
    void everyFileOfAModeGetsIt(String mode, String permissions) throws IOException {
        for (int i = 0; i < 3; i++) {
            Path file = tmp.resolve(mode + i);
            write(file, Integer.parseInt(mode, 8), TIME);
            assertEquals(permissions, PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
            assertEquals(TIME, Files.getLastModifiedTime(file));
            assertEquals(3, Files.size(file));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-86_400_000, 0, 1_000, 1_700_000_000_123L, 4_102_444_800_000L})
    void timesAreKeptToTheMillisecond(long millis) throws IOException {
        Path file = tmp.resolve("file");
        write(file, 0644, FileTime.fromMillis(millis));
        assertEquals(millis, Files.getLastModifiedTime(file).toMillis());
    }

    @Test
    void contentIsWritten() throws IOException {
        Path file = tmp.resolve("file");
        write(file, 0, TIME);
        assertArrayEquals(new byte[] {1, 2, 3}, Files.readAllBytes(file));
    }

    private void write(Path file, int mode, FileTime time) throws IOException {
        writer.write(file, new ByteArrayInputStream(new byte[] {1, 2, 3}), 3, mode, time);
    }
}
