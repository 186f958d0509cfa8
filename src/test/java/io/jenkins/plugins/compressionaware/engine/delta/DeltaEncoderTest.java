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

/** When an agent sends a file as it is. */
class DeltaEncoderTest {
    /** Nanoseconds per byte, of which 2 % are what it takes to look at a quarter of a byte, at 3 ns. */
    private static final double QUARTER = 3 / 0.02 / 4;

    @Test
    void aFileThatIsSentSoonerThanFoundIsSent(@TempDir Path tmp) throws IOException {
        Path file = Files.write(tmp.resolve("page.html"), History.noise(1, 700));
        ChunkIndex index = ChunkIndex.of(tmp, DeltaRoundTrip.FACTS);
        assertNull(DeltaRoundTrip.recipe(at(30, index), file));
        assertNotNull(DeltaRoundTrip.recipe(at(300, index), file));
    }

    /** There is none as long as a young JVM interprets what hashes, or is not let run. */
    private static EntryEncoder at(double link, ChunkIndex index) throws IOException {
        EntryEncoder shortener = EntryEncoder.NONE;
        for (int i = 0; i < 1_000 && shortener == EntryEncoder.NONE; i++) {
            shortener = DeltaEncoder.of(index.signature(link));
        }
        return shortener;
    }

    @Test
    void aFileOfWhichNothingIsKnownIsLookedAtForAQuarter(@TempDir Path tmp) throws IOException {
        Path file = tmp.resolve("file");
        byte[] bytes = History.noise(1, 8 << 20);
        Files.write(file, bytes);
        ChunkIndex index = ChunkIndex.of(tmp, DeltaRoundTrip.FACTS);
        System.arraycopy(History.noise(2, 3 << 20), 0, bytes, 0, 3 << 20);
        Files.write(file, bytes);
        assertNull(DeltaRoundTrip.recipe(DeltaEncoder.of(index.signature(DeltaRoundTrip.SLOW)), file));
        Files.write(file, History.noise(1, 1 << 20));
        assertNotNull(DeltaRoundTrip.recipe(DeltaEncoder.of(index.signature(DeltaRoundTrip.SLOW)), file));
    }

    @Test
    void filesOfWhichNothingIsKnownAreLookedAtForAFiftiethOfTheTime(@TempDir Path tmp) throws IOException {
        Path file = Files.write(tmp.resolve("file"), History.noise(1, 1 << 20));
        ChunkIndex index = ChunkIndex.of(tmp, DeltaRoundTrip.FACTS);
        EntryEncoder shortener = at(QUARTER, index);
        Files.write(file, History.noise(2, 1_100_000));
        assertNull(DeltaRoundTrip.recipe(shortener, file));
        assertFalse(shortener.encode(tmp.resolve("is not even opened"), 1_100_000, part -> fail()));
        assertThrows(
                IOException.class,
                () -> at(QUARTER, index).encode(tmp.resolve("is not there"), 1_100_000, part -> fail()));
    }

    /** A third of a nanosecond per byte, which for a large file over a fast link is more than 3 % of the time to send it. */
    @Test
    void aLargeFileThatBeginsOtherwiseIsNotReadToItsEnd(@TempDir Path tmp) throws IOException {
        int size = 8 << 20;
        Path file = Files.write(tmp.resolve("file"), History.noise(1, size));
        ChunkIndex index = ChunkIndex.of(tmp, DeltaRoundTrip.FACTS);
        assertNotNull(DeltaRoundTrip.recipe(at(QUARTER / 4, index), file));
        Files.write(file, History.noise(2, 1 << 20));
        assertFalse(at(QUARTER / 4, index).encode(file, size, part -> fail()));
    }

    @Test
    void whatIsKnownGivesPatienceBack(@TempDir Path tmp) throws IOException {
        Path known = Files.write(tmp.resolve("known"), History.noise(1, 1 << 20));
        EntryEncoder shortener = at(2 * QUARTER, ChunkIndex.of(tmp, DeltaRoundTrip.FACTS));
        byte[] longer = Arrays.copyOf(History.noise(1, 1 << 20), (1 << 20) + 5);
        for (int i = 0; i < 5; i++) {
            Files.write(known, History.noise(2, 1_100_000));
            assertNull(DeltaRoundTrip.recipe(shortener, known));
            Files.write(known, longer);
            assertNotNull(DeltaRoundTrip.recipe(shortener, known));
        }
    }

    @Test
    void anAgentThatHashesMoreSlowlyThanItSendsDoesNot(@TempDir Path tmp) throws IOException {
        new History(tmp, 1).distribution();
        ChunkIndex index = ChunkIndex.of(tmp, DeltaRoundTrip.FACTS);
        assertEquals(EntryEncoder.NONE, DeltaEncoder.of(index.signature(0.1)));
        assertNotEquals(EntryEncoder.NONE, DeltaEncoder.of(index.signature(DeltaRoundTrip.SLOW)));
        assertTrue(Files.exists(tmp.resolve("lib")));
    }
}
