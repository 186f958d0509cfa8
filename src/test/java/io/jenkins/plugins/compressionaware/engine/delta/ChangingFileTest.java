package io.jenkins.plugins.compressionaware.engine.delta;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.tar.EntryEncoder;
import io.jenkins.plugins.compressionaware.engine.tar.UnfitException;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file of the workspace that changes while its recipe is made: it is archived as it was at one moment, or not as a recipe. */
class ChangingFileTest {
    private static final int SIZE = 16 << 20;

    @TempDir
    Path tmp;

    private byte[] content;
    private Path file;
    private ReferenceArchive earlier;

    @BeforeEach
    void twoBuilds() throws IOException {
        Path archive = Files.createDirectory(tmp.resolve("earlier"));
        content = History.noise(1, SIZE);
        Files.write(archive.resolve("disk.img"), content);
        earlier = DeltaRoundTrip.opened(archive);
        mark(content, 2);
        file = Files.write(tmp.resolve("disk.img"), content);
    }

    @AfterEach
    void close() {
        earlier.close();
    }

    /** Near the start, and near the end. */
    private static void mark(byte[] bytes, int version) {
        Arrays.fill(bytes, 1 << 20, (1 << 20) + 1000, (byte) version);
        Arrays.fill(bytes, 15 << 20, (15 << 20) + 1000, (byte) version);
    }

    private interface Change {
        void run() throws IOException;
    }

    private byte[] recipe(int after, Change change) throws IOException {
        ByteArrayOutputStream recipe = new ByteArrayOutputStream();
        int[] parts = new int[1];
        assertTrue(DeltaEncoder.of(earlier.index().signature(DeltaRoundTrip.SLOW))
                .encode(file, SIZE, part -> {
                    if (parts[0]++ == after) {
                        change.run();
                    }
                    part.writeTo(recipe);
                }));
        assertTrue(parts[0] > 2, parts[0] + " parts");
        return recipe.toByteArray();
    }

    private byte[] rebuilt(byte[] recipe) throws IOException {
        return earlier.decode(new ByteArrayInputStream(recipe)).readAllBytes();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1000, -1000})
    @DisabledOnOs(OS.WINDOWS) // which renames over no open file
    void aFileThatIsReplacedByARenameStaysTheOldOne(int more) throws IOException {
        byte[] other = Arrays.copyOf(content, SIZE + more);
        mark(other, 3);
        Path next = Files.write(tmp.resolve("next"), other);
        byte[] recipe = recipe(
                1, () -> Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING));
        assertArrayEquals(content, rebuilt(recipe));
    }

    @Test
    void aFileThatWasReplacedByALongerOneIsSentAsItIs() throws IOException {
        Files.write(file, new byte[1], StandardOpenOption.APPEND);
        assertFalse(
                DeltaEncoder.of(earlier.index().signature(DeltaRoundTrip.SLOW)).encode(file, SIZE, part -> {}));
    }

    @Test
    void aFileThatGrowsIsCut() throws IOException {
        byte[] recipe = recipe(1, () -> Files.write(file, new byte[100_000], StandardOpenOption.APPEND));
        assertArrayEquals(content, rebuilt(recipe));
    }

    @Test
    void aFileThatShrinksIsNamed() {
        assertFailsWith(
                file + ": it shrank while it was read", () -> recipe(1, () -> Files.write(file, new byte[1 << 20])));
    }

    /** The bytes at its start have been hashed, and are read once more to be sent. */
    @Test
    void aFileThatIsWrittenBetweenTwoReadingsHasToComeAsAWhole() throws IOException {
        byte[] recipe = recipe(0, () -> {
            mark(content, 4);
            Files.write(file, content);
        });
        assertThrows(UnfitException.class, () -> rebuilt(recipe));
    }

    /** Bytes that are known, once they are read, come from the earlier build. */
    @Test
    void aKnownPieceThatIsWrittenLaterIsAsItWas() throws IOException {
        byte[] was = content.clone();
        byte[] recipe = recipe(0, () -> {
            content[2 << 20]++;
            Files.write(file, content);
        });
        assertArrayEquals(was, rebuilt(recipe));
    }

    /** By this process so far. */
    private static long bytesRead() throws IOException {
        return Long.parseLong(
                Files.readAllLines(Path.of("/proc/self/io")).get(0).substring("rchar: ".length()));
    }

    private double readings() throws IOException {
        EntryEncoder shortener = DeltaEncoder.of(earlier.index().signature(DeltaRoundTrip.SLOW));
        long before = bytesRead();
        assertTrue(shortener.encode(file, SIZE, part -> part.writeTo(OutputStream.nullOutputStream())));
        return (bytesRead() - before) / (double) SIZE;
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFileIsReadOnce() throws IOException {
        assertEquals(1, readings(), 0.2, "of which little has changed");
        Files.write(file, History.noise(1, SIZE));
        assertEquals(1, readings(), 0.2, "which is as it was");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFileThatIsAsItWasIsOnePiece() throws IOException {
        Files.write(file, History.noise(1, SIZE));
        byte[] recipe = DeltaRoundTrip.recipe(DeltaEncoder.of(earlier.index().signature(DeltaRoundTrip.SLOW)), file);
        assertTrue(recipe.length < 50, recipe.length + " bytes");
    }
}
