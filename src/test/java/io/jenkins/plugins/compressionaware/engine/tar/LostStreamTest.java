package io.jenkins.plugins.compressionaware.engine.tar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A stream of files is lost at any byte. The next stream has the files that are incomplete, and no others. */
@Timeout(60)
class LostStreamTest {
    private static final Map<String, String> FILES = new LinkedHashMap<>();

    static {
        FILES.put("a", "first");
        FILES.put("empty", "");
        FILES.put("folder/b", "x".repeat(1200));
        FILES.put("folder/c", "last");
    }

    @TempDir
    Path tmp;

    private static TarBytes tar(Set<String> names) {
        TarBytes tar = new TarBytes();
        FILES.forEach((name, content) -> {
            if (names.contains(name)) {
                TarArchiveEntry entry = new TarArchiveEntry(name, true);
                entry.setModTime(0L);
                tar.entry(entry, content);
            }
        });
        if (names.contains("link")) {
            tar.link("link", "a");
        }
        return tar.end();
    }

    private static InputStream lostAfter(byte[] tar, int length) {
        InputStream lost = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("the connection was lost");
            }
        };
        return new SequenceInputStream(new ByteArrayInputStream(Arrays.copyOf(tar, length)), lost);
    }

    private static TarUnpacker unpacker(Path folder, Set<String> names, int writers, EntryDecoder decoder)
            throws IOException {
        Workspace own = Workspace.own(folder, new FileCreator(folder));
        return new TarUnpacker(own, names, UnpackHarness.files(writers), decoder);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16})
    void everyCutIsContinued(int writers) throws Exception {
        Set<String> names = new HashSet<>(FILES.keySet());
        names.add("link");
        byte[] all = tar(names).bytes();
        Map<String, String> expected = null;
        for (int cut = 0; cut < all.length; cut += 100) {
            Path folder = Files.createDirectory(tmp.resolve("cut" + cut));
            TarUnpacker unpacker = unpacker(folder, names, writers, EntryDecoder.NONE);
            InputStream lost = lostAfter(all, cut);
            assertThrows(IOException.class, () -> unpacker.unpack(lost));
            unpacker.dropIncomplete();
            Set<String> missing = unpacker.missing();
            assertEquals(
                    FILES.entrySet().stream()
                            .filter(file -> !missing.contains(file.getKey()))
                            .mapToInt(file -> file.getValue().length())
                            .sum(),
                    unpacker.contentBytes(),
                    "only complete files count, cut at " + cut);
            assertEquals(names.size(), unpacker.entries() + missing.size());
            unpacker.unpack(new ByteArrayInputStream(tar(missing).bytes()));
            unpacker.close();
            assertEquals(Set.of(), unpacker.missing());
            assertEquals(names.size(), unpacker.entries());
            assertEquals(List.of(), unpacker.warnings());
            expected = expected == null ? FileTrees.describe(folder) : expected;
            assertEquals(expected, FileTrees.describe(folder), "cut at " + cut);
        }
    }

    @Test
    void fileThatChangedMeanwhileHasItsNewContent() throws Exception {
        Path folder = Files.createDirectory(tmp.resolve("folder"));
        TarUnpacker unpacker = unpacker(folder, Set.of("a", "b"), 1, EntryDecoder.NONE);
        byte[] first = new TarBytes()
                .file("a", "complete")
                .file("b", "x".repeat(300_000))
                .end()
                .bytes();
        assertThrows(IOException.class, () -> unpacker.unpack(lostAfter(first, 200_000)));
        assertEquals(128 * 1024, unpacker.dropIncomplete());
        assertEquals(Set.of("b"), unpacker.missing());
        unpacker.unpack(
                new ByteArrayInputStream(new TarBytes().file("b", "new").end().bytes()));
        unpacker.close();
        assertEquals("complete", Files.readString(folder.resolve("a")));
        assertEquals("new", Files.readString(folder.resolve("b")));
        assertEquals("complete".length() + "new".length(), unpacker.contentBytes());
    }

    @Test
    void completeFileIsRefusedInNextStream() throws Exception {
        Path folder = Files.createDirectory(tmp.resolve("folder"));
        TarUnpacker unpacker = unpacker(folder, Set.of("a", "b"), 1, EntryDecoder.NONE);
        byte[] first = new TarBytes().file("a", "a").file("b", "b").end().bytes();
        assertThrows(IOException.class, () -> unpacker.unpack(lostAfter(first, 1200)));
        unpacker.dropIncomplete();
        assertThrows(IOException.class, () -> unpacker.unpack(new ByteArrayInputStream(first)));
        unpacker.close();
    }

    /** A delta that failed before the loss may be sent once more, and in full if it fails again. */
    @Test
    void failedDeltasStayMissing() throws Exception {
        Path folder = Files.createDirectory(tmp.resolve("folder"));
        EntryDecoder failing = delta -> {
            throw new ReferenceMismatchException(null);
        };
        TarUnpacker unpacker = unpacker(folder, Set.of("a", "b"), 1, failing);
        TarBytes deltas = new TarBytes()
                .special((byte) TarHeader.DELTA, "a", "")
                .file("b", "b".repeat(600))
                .end();
        assertThrows(IOException.class, () -> unpacker.unpack(lostAfter(deltas.bytes(), 1100)));
        unpacker.dropIncomplete();
        assertEquals(Set.of("a", "b"), unpacker.missing());
        unpacker.unpack(new ByteArrayInputStream(deltas.bytes()));
        assertEquals(Set.of("a"), unpacker.missing());
        unpacker.unpack(
                new ByteArrayInputStream(new TarBytes().file("a", "whole").end().bytes()));
        unpacker.close();
        assertEquals(Set.of(), unpacker.missing());
        assertEquals(2, unpacker.entries());
        assertEquals("whole", Files.readString(folder.resolve("a")));
    }
}
