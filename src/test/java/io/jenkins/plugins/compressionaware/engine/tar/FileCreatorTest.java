package io.jenkins.plugins.compressionaware.engine.tar;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@ParameterizedClass
@ValueSource(booleans = {false, true})
class FileCreatorTest {
    /** See {@link FileCreator#create}. */
    @Parameter
    private boolean shared;

    private static final FileTime TIME = FileTime.fromMillis(1_700_000_000_000L);

    @TempDir
    private Path tmp;

    private FileCreator writer;

    @BeforeEach
    void prepare() {
        writer = new FileCreator(tmp);
    }

    /** Includes permissions that the usual umask clears, and files that their owner may not read. */
    @ParameterizedTest
    @CsvSource({"0777, rwxrwxrwx", "0666, rw-rw-rw-", "0644, rw-r--r--", "0444, r--r--r--", "0060, ---rw----"})
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "it has no such permissions")
    void filesOfSameModeGetItsPermissions(String mode, String permissions) throws IOException {
        for (int i = 0; i < 3; i++) {
            Path file = tmp.resolve(mode + i);
            write(file, Integer.parseInt(mode, 8), TIME);
            assertEquals(permissions, PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
            assertEquals(TIME, Files.getLastModifiedTime(file));
            assertArrayEquals(new byte[] {1, 2, 3}, Files.readAllBytes(file));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-86_400_000, 0, 1_000, 1_700_000_000_123L, 4_102_444_800_000L})
    void timesAreSetToTheMillisecond(long millis) throws IOException {
        Path file = tmp.resolve("file");
        write(file, 0644, FileTime.fromMillis(millis));
        assertEquals(millis, Files.getLastModifiedTime(file).toMillis());
    }

    /** If an interrupt could abort the write, {@link Thread#interrupt} would wait for the disk, see {@link HungDiskInterruptTest}. */
    @Test
    void interruptedThreadWritesWholeFile() throws IOException {
        if (shared) {
            return; // parallel writers are not interrupted
        }
        Path file = tmp.resolve("file");
        Thread.currentThread().interrupt();
        write(file, 0644, TIME);
        assertTrue(Thread.interrupted(), "the interrupt stays pending");
        assertEquals(3, Files.size(file));
    }

    @Test
    void createFailsForExistingFileOrLink() throws IOException {
        Path file = Files.writeString(tmp.resolve("file"), "before");
        Path link = tmp.resolve("link");
        Files.createSymbolicLink(link, file);
        Path dangling = tmp.resolve("dangling");
        Files.createSymbolicLink(dangling, tmp.resolve("new"));
        for (Path taken : new Path[] {file, link, dangling}) {
            assertThrows(FileAlreadyExistsException.class, () -> write(taken, 0644, TIME));
        }
        assertEquals("before", Files.readString(file));
        assertFalse(Files.exists(tmp.resolve("new")));
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "it has no such permissions")
    void permissionsAreSetBeforeContent() throws IOException {
        Path file = tmp.resolve("file");
        InputStream content = new InputStream() {
            @Override
            public int read() throws IOException {
                assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
                return 1;
            }
        };
        write(file, content, 1, 0600, TIME);
        assertEquals(1, Files.size(file));
    }

    private void write(Path file, int mode, FileTime time) throws IOException {
        write(file, new ByteArrayInputStream(new byte[] {1, 2, 3}), 3, mode, time);
    }

    private void write(Path file, InputStream content, int size, int mode, FileTime time) throws IOException {
        try (OutputStream out = writer.create(file, mode, shared)) {
            writer.permit(file, mode, writer.attributes(file), true);
            out.write(content.readNBytes(size));
        }
        writer.setLastModified(file, time);
    }
}
