package io.jenkins.plugins.compressionaware.engine.delta;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.tar.EntryEncoder;
import io.jenkins.plugins.compressionaware.engine.tar.ReferenceMismatchException;
import io.jenkins.plugins.compressionaware.testing.History;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Encodes files while they change: the archived file has the content of one moment, or the delta fails verification. */
class ChangingFileTest {
    private static final int SIZE = 16 << 20;

    @TempDir
    Path tmp;

    private byte[] content;
    private Path file;

    @AutoClose
    private ReferenceArchive reference;

    @BeforeEach
    void setUp() throws IOException {
        Path archive = Files.createDirectory(tmp.resolve("reference"));
        content = History.noise(1, SIZE);
        Files.write(archive.resolve("disk.img"), content);
        reference = DeltaRoundTrip.opened(archive);
        mark(content, 2);
        file = Files.write(tmp.resolve("disk.img"), content);
    }

    /** Marks bytes near the start and near the end. */
    private static void mark(byte[] bytes, int version) {
        Arrays.fill(bytes, 1 << 20, (1 << 20) + 1000, (byte) version);
        Arrays.fill(bytes, 15 << 20, (15 << 20) + 1000, (byte) version);
    }

    private interface Change {
        void run() throws IOException;
    }

    private byte[] delta(int after, Change change) throws IOException {
        ByteArrayOutputStream delta = new ByteArrayOutputStream();
        int[] parts = new int[1];
        assertTrue(DeltaRoundTrip.encoder(reference).encode(file, SIZE, part -> {
            if (parts[0]++ == after) {
                change.run();
            }
            part.writeTo(delta);
        }));
        assertTrue(parts[0] > 2, parts[0] + " parts");
        return delta.toByteArray();
    }

    private byte[] decode(byte[] delta) throws IOException {
        return reference.decode(new ByteArrayInputStream(delta)).readAllBytes();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1000, -1000})
    @DisabledOnOs(OS.WINDOWS) // which cannot rename over an open file
    void renameDuringEncodingKeepsOldContent(int more) throws IOException {
        byte[] other = Arrays.copyOf(content, SIZE + more);
        mark(other, 3);
        Path next = Files.write(tmp.resolve("next"), other);
        byte[] delta = delta(
                1, () -> Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING));
        assertArrayEquals(content, decode(delta));
    }

    @Test
    void fileLongerThanScannedIsSentInFull() throws IOException {
        Files.write(file, new byte[1], StandardOpenOption.APPEND);
        assertFalse(DeltaRoundTrip.encoder(reference).encode(file, SIZE, part -> {}));
    }

    @Test
    void growingFileIsCutToItsScannedSize() throws IOException {
        byte[] delta = delta(1, () -> Files.write(file, new byte[100_000], StandardOpenOption.APPEND));
        assertArrayEquals(content, decode(delta));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shrinkingFileFailsWithItsPath(int after) {
        assertFailsWith(
                file + ": it shrank while it was read", () -> delta(after, () -> Files.write(file, new byte[1 << 20])));
    }

    /** The first bytes have been hashed by then, and are read again to be sent. */
    @Test
    void writeBetweenTwoReadsFailsVerification() throws IOException {
        byte[] delta = delta(0, () -> {
            mark(content, 4);
            Files.write(file, content);
        });
        assertThrows(ReferenceMismatchException.class, () -> decode(delta));
    }

    /** A known chunk, once read, is reused from the reference build. */
    @Test
    void knownChunkWrittenLaterKeepsOldContent() throws IOException {
        byte[] before = content.clone();
        byte[] delta = delta(0, () -> {
            content[2 << 20]++;
            Files.write(file, content);
        });
        assertArrayEquals(before, decode(delta));
    }

    private double timesRead() throws IOException {
        EntryEncoder encoder = DeltaRoundTrip.encoder(reference);
        long before = DeltaRoundTrip.bytesRead();
        assertTrue(encoder.encode(file, SIZE, part -> part.writeTo(OutputStream.nullOutputStream())));
        return (DeltaRoundTrip.bytesRead() - before) / (double) SIZE;
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void fileIsReadOnce() throws IOException {
        assertEquals(1, timesRead(), 0.2, "a file with few changes");
        Files.write(file, History.noise(1, SIZE));
        assertEquals(1, timesRead(), 0.2, "an unchanged file");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void unchangedFileIsOneChunk() throws IOException {
        Files.write(file, History.noise(1, SIZE));
        byte[] delta = DeltaRoundTrip.delta(DeltaRoundTrip.encoder(reference), file);
        assertTrue(delta.length < 50, delta.length + " bytes");
    }
}
