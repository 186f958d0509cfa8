package io.jenkins.plugins.compressionaware.engine.delta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.jenkins.plugins.compressionaware.engine.tar.EntryEncoder;
import io.jenkins.plugins.compressionaware.testing.History;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Cases in which an agent sends files in full. */
class DeltaEncoderTest {
    /** Nanoseconds per wire byte at which fruitless lookups may read a quarter of the archive. */
    private static final double QUARTER = 3 / 0.02 / 4;

    @Test
    void smallFileIsSentInFullOverFastLink(@TempDir Path tmp) throws IOException {
        Path file = Files.write(tmp.resolve("page.html"), History.noise(1, 700));
        ChunkIndex index = ChunkIndex.of(tmp, DeltaRoundTrip.STATS);
        assertNull(DeltaRoundTrip.delta(at(30, index), file));
        assertNotNull(DeltaRoundTrip.delta(at(300, index), file));
    }

    /** Returns an encoder. Retries, because hashing looks slow in a young JVM and on a busy machine. */
    private static EntryEncoder at(double link, ChunkIndex index) throws IOException {
        EntryEncoder encoder = EntryEncoder.NONE;
        for (int i = 0; i < 1_000 && encoder == EntryEncoder.NONE; i++) {
            encoder = DeltaEncoder.of(index.signature(link));
        }
        return encoder;
    }

    @Test
    void unknownFileIsLookedUpForQuarterOfItsLength(@TempDir Path tmp) throws IOException {
        Path file = tmp.resolve("file");
        byte[] bytes = History.noise(1, 8 << 20);
        Files.write(file, bytes);
        ChunkIndex index = ChunkIndex.of(tmp, DeltaRoundTrip.STATS);
        System.arraycopy(History.noise(2, 3 << 20), 0, bytes, 0, 3 << 20);
        Files.write(file, bytes);
        assertNull(DeltaRoundTrip.delta(DeltaEncoder.of(index.signature(DeltaRoundTrip.SLOW)), file));
        Files.write(file, History.noise(1, 1 << 20));
        assertNotNull(DeltaRoundTrip.delta(DeltaEncoder.of(index.signature(DeltaRoundTrip.SLOW)), file));
    }

    @Test
    void fruitlessLookupsOfAllFilesAreLimited(@TempDir Path tmp) throws IOException {
        Path file = Files.write(tmp.resolve("file"), History.noise(1, 1 << 20));
        ChunkIndex index = ChunkIndex.of(tmp, DeltaRoundTrip.STATS);
        EntryEncoder encoder = at(QUARTER, index);
        Files.write(file, History.noise(2, 1_100_000));
        assertNull(DeltaRoundTrip.delta(encoder, file));
        assertFalse(encoder.encode(tmp.resolve("is not even opened"), 1_100_000, part -> fail()));
        assertThrows(
                IOException.class,
                () -> at(QUARTER, index).encode(tmp.resolve("is not there"), 1_100_000, part -> fail()));
    }

    /** Reading to the end would take a third of a nanosecond per byte, 3 % of the time to send the file over a fast link. */
    @Test
    void unknownLargeFileIsNotReadToItsEnd(@TempDir Path tmp) throws IOException {
        int size = 8 << 20;
        Path file = Files.write(tmp.resolve("file"), History.noise(1, size));
        ChunkIndex index = ChunkIndex.of(tmp, DeltaRoundTrip.STATS);
        assertNotNull(DeltaRoundTrip.delta(at(QUARTER / 4, index), file));
        Files.write(file, History.noise(2, 1 << 20));
        assertFalse(at(QUARTER / 4, index).encode(file, size, part -> fail()));
    }

    @Test
    void knownContentExtendsLookupLimit(@TempDir Path tmp) throws IOException {
        Path known = Files.write(tmp.resolve("known"), History.noise(1, 1 << 20));
        EntryEncoder encoder = at(2 * QUARTER, ChunkIndex.of(tmp, DeltaRoundTrip.STATS));
        byte[] longer = Arrays.copyOf(History.noise(1, 1 << 20), (1 << 20) + 5);
        for (int i = 0; i < 5; i++) {
            Files.write(known, History.noise(2, 1_100_000));
            assertNull(DeltaRoundTrip.delta(encoder, known));
            Files.write(known, longer);
            assertNotNull(DeltaRoundTrip.delta(encoder, known));
        }
    }

    @Test
    void agentThatHashesSlowerThanItSendsUsesNoDelta(@TempDir Path tmp) throws IOException {
        new History(tmp, 1).distribution();
        ChunkIndex index = ChunkIndex.of(tmp, DeltaRoundTrip.STATS);
        assertEquals(EntryEncoder.NONE, DeltaEncoder.of(index.signature(0.1)));
        assertNotEquals(EntryEncoder.NONE, DeltaEncoder.of(index.signature(DeltaRoundTrip.SLOW)));
        assertTrue(Files.exists(tmp.resolve("lib")));
    }
}
