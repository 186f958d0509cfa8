package io.jenkins.plugins.compressionaware.engine.delta;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.tar.EntryEncoder;
import io.jenkins.plugins.compressionaware.engine.tar.TarPacker;
import io.jenkins.plugins.compressionaware.engine.tar.TarSink;
import io.jenkins.plugins.compressionaware.engine.tar.TarUnpacker;
import io.jenkins.plugins.compressionaware.engine.tar.WorkerResources;
import io.jenkins.plugins.compressionaware.testing.Alone;
import io.jenkins.plugins.compressionaware.testing.History;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A large file's recipe travels in parts. */
class DeltaPartsInputStreamTest {
    private static final int SIZE = 11 << 20;
    private static final int PART = 4 << 20;

    /** The longest that a file may have on Linux, but for its folder. */
    private static final String LONG = "folder/".repeat(560) + "file";

    @TempDir
    Path tmp;

    private byte[] content;
    private Path archive;
    private Path workspace;
    private ReferenceArchive earlier;

    @BeforeEach
    void earlier() throws IOException {
        content = History.noise(1, SIZE);
        archive = Files.createDirectory(tmp.resolve("earlier"));
        workspace = Files.createDirectory(tmp.resolve("workspace"));
        Files.write(archive.resolve("file"), content);
        earlier = DeltaRoundTrip.opened(archive);
        content[SIZE / 2] ^= 1;
        Files.write(workspace.resolve("file"), content);
    }

    @AfterEach
    void close() {
        earlier.close();
    }

    /** What had been written when the other end was to have it, and all. */
    private List<byte[]> flushed(String name) throws IOException {
        List<byte[]> flushed = new ArrayList<>();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        TarSink sink = new TarSink() {
            @Override
            public void startEntry(String entry, long size) {
                assertEquals(name, entry);
            }

            @Override
            public void write(byte[] content, int offset, int length) {
                bytes.write(content, offset, length);
            }

            @Override
            public void flush() {
                flushed.add(bytes.toByteArray());
            }
        };
        EntryEncoder shortener = DeltaEncoder.of(earlier.index().signature(DeltaRoundTrip.SLOW));
        try (TarPacker packer = new TarPacker(sink, Alone::refuse, shortener)) {
            packer.pack(workspace, Map.of(name, "file"));
            assertEquals(1, packer.entries());
            assertEquals(SIZE, packer.contentBytes());
        }
        flushed.add(bytes.toByteArray());
        return flushed;
    }

    private Set<String> land(byte[] tar, String name) throws IOException {
        return DeltaRoundTrip.unpack(tar, tmp.resolve("staged"), Set.of(name), earlier);
    }

    @Test
    void theOtherEndMakesTheFirstPartWhileTheNextIsLookedFor() throws IOException {
        List<byte[]> flushed = flushed("file");
        assertEquals(3, flushed.size(), "two parts of 4 MiB and the rest");
        for (int i = 0; i < 2; i++) {
            byte[] made = madeOf(flushed.get(i));
            assertTrue(made.length >= (i + 1) * PART - (128 << 10), made.length + " bytes");
            assertArrayEquals(Arrays.copyOf(content, made.length), made);
        }
        assertEquals(Set.of(), land(flushed.get(2), "file"));
        assertArrayEquals(content, Files.readAllBytes(tmp.resolve("staged/file")));
        assertTrue(flushed.get(2).length < 100_000, flushed.get(2).length + " bytes");
    }

    /** What is in the file when the tar breaks off. */
    private byte[] madeOf(byte[] tar) throws IOException {
        AtomicReference<byte[]> made = new AtomicReference<>();
        Path staged = Files.createDirectories(tmp.resolve("staged"));
        InputStream end = new InputStream() {
            @Override
            public int read() throws IOException {
                made.set(Files.readAllBytes(staged.resolve("file")));
                return -1;
            }
        };
        TarUnpacker unpacker = new TarUnpacker(staged, Set.of("file"), WorkerResources.NONE, earlier);
        assertThrows(
                IOException.class, () -> unpacker.unpack(new SequenceInputStream(new ByteArrayInputStream(tar), end)));
        return made.get();
    }

    @Test
    void whatIsNotThereIsFoundAtTheEnd() throws IOException {
        byte[] tar = flushed("file").get(2);
        Files.write(archive.resolve("file"), new byte[SIZE]);
        assertEquals(Set.of("file"), land(tar, "file"));
        assertFalse(Files.exists(tmp.resolve("staged/file")));
    }

    @Test
    void onceNothingMoreIsKnownTheRestIsSent() throws IOException {
        System.arraycopy(History.noise(2, SIZE), 0, content, PART + (1 << 20), SIZE - PART - (1 << 20));
        Files.write(workspace.resolve("file"), content);
        List<byte[]> flushed = flushed("file");
        assertEquals(Set.of(), land(flushed.get(flushed.size() - 1), "file"));
        assertArrayEquals(content, Files.readAllBytes(tmp.resolve("staged/file")));
    }

    /** Then the bytes around the parts are as many as they can be. */
    @Test
    void thirtyTwoPartsOfEachFileWithALongName() throws IOException {
        byte[] small = Arrays.copyOf(content, 1 << 20);
        Path file = Files.write(tmp.resolve("small"), small);
        byte[] recipe = DeltaRoundTrip.recipe(DeltaEncoder.of(earlier.index().signature(DeltaRoundTrip.SLOW)), file);
        List<String> names =
                IntStream.range(0, 40).mapToObj(i -> LONG + (10 + i)).toList();
        String kinds = ("Q".repeat(31) + "R").repeat(names.size());
        byte[] tar = tar(names, kinds, i -> {
            int length = recipe.length / 32;
            int part = i % 32;
            return Arrays.copyOfRange(recipe, part * length, part < 31 ? (part + 1) * length : recipe.length);
        });
        assertEquals(Set.of(), DeltaRoundTrip.unpack(tar, tmp.resolve("staged"), Set.copyOf(names), earlier));
        assertArrayEquals(small, Files.readAllBytes(tmp.resolve("staged/" + names.get(39))));
    }

    @Test
    void aFileThatShrinksFailsWithItsName() throws IOException {
        Path file = workspace.resolve("file");
        TarSink sink = new TarSink() {
            @Override
            public void startEntry(String entry, long size) {
                // there is one
            }

            @Override
            public void write(byte[] content, int offset, int length) {
                // nobody reads it
            }

            @Override
            public void flush() throws IOException {
                Files.write(file, new byte[1]);
            }
        };
        TarPacker packer = new TarPacker(
                sink, Alone::refuse, DeltaEncoder.of(earlier.index().signature(DeltaRoundTrip.SLOW)));
        assertFails(
                "Cannot archive file: it shrank while it was read",
                () -> packer.pack(workspace, Map.of("file", "file")));
    }

    private static byte[] tar(List<String> names, String kinds, IntFunction<byte[]> contents) throws IOException {
        ByteArrayOutputStream tar = new ByteArrayOutputStream();
        try (TarArchiveOutputStream out = new TarArchiveOutputStream(tar)) {
            out.setLongFileMode(TarArchiveOutputStream.LONGFILE_GNU);
            for (int i = 0; i < kinds.length(); i++) {
                byte[] content = contents.apply(i);
                boolean first = i == 0 || kinds.charAt(i - 1) == 'R';
                String name = first ? names.get(i * names.size() / kinds.length()) : "-";
                TarArchiveEntry entry = new TarArchiveEntry(name, (byte) kinds.charAt(i), true);
                entry.setSize(content.length);
                out.putArchiveEntry(entry);
                out.write(content);
                out.closeArchiveEntry();
            }
        }
        return tar.toByteArray();
    }

    private void assertRefused(String kinds, int bytes, String reason) {
        assertFailsWith(reason, () -> land(tar(List.of("file"), kinds, i -> new byte[bytes]), "file"));
    }

    @Test
    void partsThatDoNotEnd() {
        assertRefused("Q", 0, "Refused file: the delta has no last part");
        assertRefused("Q0", 0, "Refused file: the delta has no last part");
        assertRefused("QQ5", 0, "Refused file: the delta has no last part");
        assertRefused("Q".repeat(1000), 0, "Too many bytes around the tar entries");
        assertRefused("QR", 0, "Cannot write file: java.io.EOFException");
        assertRefused("R", 1, "the recipe has an unknown version");
    }
}
