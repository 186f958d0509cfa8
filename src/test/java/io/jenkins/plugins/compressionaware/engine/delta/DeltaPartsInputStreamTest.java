package io.jenkins.plugins.compressionaware.engine.delta;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import io.jenkins.plugins.compressionaware.engine.tar.EntryEncoder;
import io.jenkins.plugins.compressionaware.engine.tar.TarPacker;
import io.jenkins.plugins.compressionaware.engine.tar.TarUnpacker;
import io.jenkins.plugins.compressionaware.testing.History;
import io.jenkins.plugins.compressionaware.testing.RecordedTar;
import io.jenkins.plugins.compressionaware.testing.RefusingExecutor;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sends the delta of a large file in parts. */
class DeltaPartsInputStreamTest {
    private static final int SIZE = 11 << 20;
    private static final int PART = 4 << 20;

    /** A path of about the maximum length on Linux, without its folder. */
    private static final String LONG_PATH = "folder/".repeat(560) + "file";

    @TempDir
    Path tmp;

    private byte[] content;
    private Path archive;
    private Path workspace;

    @AutoClose
    private ReferenceArchive reference;

    @BeforeEach
    void setUp() throws IOException {
        content = History.noise(1, SIZE);
        archive = Files.createDirectory(tmp.resolve("reference"));
        workspace = Files.createDirectory(tmp.resolve("workspace"));
        Files.write(archive.resolve("file"), content);
        reference = DeltaRoundTrip.opened(archive);
        content[SIZE / 2] ^= 1;
        Files.write(workspace.resolve("file"), content);
    }

    /** Returns the tar bytes up to each flush, and all bytes at the end. */
    private List<byte[]> flushed(String name) throws IOException {
        List<byte[]> flushed = new ArrayList<>();
        RecordedTar sink = new RecordedTar() {
            @Override
            public void flush() {
                flushed.add(bytes.toByteArray());
            }
        };
        EntryEncoder encoder = DeltaRoundTrip.encoder(reference);
        try (TarPacker packer = new TarPacker(sink, RefusingExecutor::refuse, encoder)) {
            packer.pack(workspace, Map.of(name, "file"));
            assertEquals(1, packer.entries());
            assertEquals(SIZE, packer.contentBytes());
        }
        assertEquals(
                List.of(name),
                sink.announced.stream()
                        .map(entry -> entry.split(" ")[0])
                        .distinct()
                        .toList());
        flushed.add(sink.bytes.toByteArray());
        return flushed;
    }

    private Set<String> extract(byte[] tar, String name) throws IOException {
        return DeltaRoundTrip.unpack(tar, tmp.resolve("staged"), Set.of(name), reference);
    }

    @Test
    void earlierPartsAreRebuiltBeforeLastIsSent() throws IOException {
        List<byte[]> flushed = flushed("file");
        assertEquals(3, flushed.size(), "two parts of 4 MiB and the rest");
        for (int i = 0; i < 2; i++) {
            byte[] rebuilt = rebuiltFrom(flushed.get(i));
            assertTrue(rebuilt.length >= (i + 1) * PART - (128 << 10), rebuilt.length + " bytes");
            assertArrayEquals(Arrays.copyOf(content, rebuilt.length), rebuilt);
        }
        assertEquals(Set.of(), extract(flushed.get(2), "file"));
        assertArrayEquals(content, Files.readAllBytes(tmp.resolve("staged/file")));
        assertTrue(flushed.get(2).length < 100_000, flushed.get(2).length + " bytes");
    }

    /** Returns the content of the file when the tar ends early. */
    private byte[] rebuiltFrom(byte[] tar) throws IOException {
        AtomicReference<byte[]> rebuilt = new AtomicReference<>();
        Path staged = Files.createDirectories(tmp.resolve("staged"));
        InputStream end = new InputStream() {
            @Override
            public int read() throws IOException {
                rebuilt.set(Files.readAllBytes(staged.resolve("file")));
                return -1;
            }
        };
        TarUnpacker unpacker = new TarUnpacker(staged, Set.of("file"), DiskHelpers.NONE, reference);
        assertThrows(
                IOException.class, () -> unpacker.unpack(new SequenceInputStream(new ByteArrayInputStream(tar), end)));
        return rebuilt.get();
    }

    @Test
    void changedReferenceFileIsDetectedAtEnd() throws IOException {
        byte[] tar = flushed("file").get(2);
        Files.write(archive.resolve("file"), new byte[SIZE]);
        assertEquals(Set.of("file"), extract(tar, "file"));
        assertFalse(Files.exists(tmp.resolve("staged/file")));
    }

    @Test
    void restIsSentAfterLastKnownChunk() throws IOException {
        System.arraycopy(History.noise(2, SIZE), 0, content, PART + (1 << 20), SIZE - PART - (1 << 20));
        Files.write(workspace.resolve("file"), content);
        List<byte[]> flushed = flushed("file");
        assertEquals(Set.of(), extract(flushed.get(flushed.size() - 1), "file"));
        assertArrayEquals(content, Files.readAllBytes(tmp.resolve("staged/file")));
    }

    /** The headers around the parts have their maximum length. */
    @Test
    void maximumPartsOfFilesWithLongNamesAreAccepted() throws IOException {
        byte[] small = Arrays.copyOf(content, 1 << 20);
        Path file = Files.write(tmp.resolve("small"), small);
        byte[] delta = DeltaRoundTrip.delta(DeltaRoundTrip.encoder(reference), file);
        List<String> names =
                IntStream.range(0, 40).mapToObj(i -> LONG_PATH + (10 + i)).toList();
        String typeFlags = ("Q".repeat(31) + "R").repeat(names.size());
        byte[] tar = tar(names, typeFlags, i -> {
            int length = delta.length / 32;
            int part = i % 32;
            return Arrays.copyOfRange(delta, part * length, part < 31 ? (part + 1) * length : delta.length);
        });
        assertEquals(Set.of(), DeltaRoundTrip.unpack(tar, tmp.resolve("staged"), Set.copyOf(names), reference));
        assertArrayEquals(small, Files.readAllBytes(tmp.resolve("staged/" + names.get(39))));
    }

    @Test
    void shrinkingFileFailsWithItsName() throws IOException {
        Path file = workspace.resolve("file");
        RecordedTar sink = new RecordedTar() {
            @Override
            public void flush() throws IOException {
                Files.write(file, new byte[1]);
            }
        };
        TarPacker packer = new TarPacker(sink, RefusingExecutor::refuse, DeltaRoundTrip.encoder(reference));
        assertFails(
                "Cannot archive file: it shrank while it was read",
                () -> packer.pack(workspace, Map.of("file", "file")));
    }

    static byte[] tar(List<String> names, String typeFlags, IntFunction<byte[]> contents) throws IOException {
        ByteArrayOutputStream tar = new ByteArrayOutputStream();
        try (TarArchiveOutputStream out = new TarArchiveOutputStream(tar)) {
            out.setLongFileMode(TarArchiveOutputStream.LONGFILE_GNU);
            for (int i = 0; i < typeFlags.length(); i++) {
                byte[] content = contents.apply(i);
                boolean first = i == 0 || typeFlags.charAt(i - 1) == 'R';
                String name = first ? names.get(i * names.size() / typeFlags.length()) : "-";
                TarArchiveEntry entry = new TarArchiveEntry(name, (byte) typeFlags.charAt(i), true);
                entry.setSize(content.length);
                out.putArchiveEntry(entry);
                out.write(content);
                out.closeArchiveEntry();
            }
        }
        return tar.toByteArray();
    }

    private void assertRejected(String typeFlags, int bytes, String reason) {
        assertFailsWith(reason, () -> extract(tar(List.of("file"), typeFlags, i -> new byte[bytes]), "file"));
    }

    @Test
    void unterminatedPartsAreRejected() {
        assertRejected("Q", 0, "Refused file: the delta has no last part");
        assertRejected("Q0", 0, "Refused file: the delta has no last part");
        assertRejected("QQ5", 0, "Refused file: the delta has no last part");
        assertRejected("Q".repeat(1000), 0, "Too many bytes around the tar entries");
        assertRejected("QR", 0, "Cannot write file: java.io.EOFException");
        assertRejected("R", 1, "the delta is for an empty file");
    }
}
