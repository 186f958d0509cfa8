package io.jenkins.plugins.compressionaware.engine.delta;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.History;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Where files are cut: whatever is in them, each piece is where it says, and none is in another. */
class ChunkerTest {
    @TempDir
    Path tmp;

    private record Piece(long from, int length) {}

    private List<Piece> pieces(byte[] content) throws IOException {
        Path file = Files.write(tmp.resolve("file"), content);
        List<Piece> pieces = new ArrayList<>();
        try (SeekableFileReader source = new SeekableFileReader(file, content.length, SeekableFileReader.WINDOW)) {
            Chunker.visit(source, new Chunker.Visitor() {
                @Override
                public boolean nested(long from, long length) {
                    assertTrue(from >= 0 && length > 0 && from + length <= content.length);
                    return false;
                }

                @Override
                public boolean piece(long from, byte[] bytes, int offset, int length) {
                    assertArrayEquals(
                            Arrays.copyOfRange(content, (int) from, (int) from + length),
                            Arrays.copyOfRange(bytes, offset, offset + length));
                    pieces.add(new Piece(from, length));
                    return true;
                }
            });
        }
        long end = 0;
        for (Piece piece : pieces) {
            assertTrue(piece.from >= end && piece.length <= FastCdcChunker.MAX_CHUNK, piece.toString());
            end = piece.from + piece.length;
        }
        assertTrue(end <= content.length);
        return pieces;
    }

    private static long bytesIn(List<Piece> pieces) {
        return pieces.stream().mapToLong(Piece::length).sum();
    }

    @Test
    void cutsByContentElsewhere() throws IOException {
        List<Piece> pieces = pieces(History.noise(1, 4 << 20));
        assertEquals(4 << 20, bytesIn(pieces));
        int usual = (4 << 20) / pieces.size();
        assertTrue(
                usual > FastCdcChunker.TARGET_CHUNK / 2 && usual < 2 * FastCdcChunker.TARGET_CHUNK, usual + " bytes");
        assertEquals(
                (1 << 20) / FastCdcChunker.MAX_CHUNK,
                pieces(new byte[1 << 20]).size(),
                "what has no cuts is cut anyway");
    }

    @Test
    void anInsertionMovesFewCuts() throws IOException {
        byte[] content = History.noise(1, 2 << 20);
        ByteArrayOutputStream other = new ByteArrayOutputStream();
        other.write(content, 0, 1 << 20);
        other.write(7);
        other.write(content, 1 << 20, 1 << 20);
        List<Piece> before = pieces(content);
        List<Piece> after = new ArrayList<>(pieces(other.toByteArray()));
        after.replaceAll(piece -> piece.from > 1 << 20 ? new Piece(piece.from - 1, piece.length) : piece);
        after.removeAll(before);
        assertTrue(after.size() <= 3, after.toString());
    }

    @Test
    void membersArePieces() throws IOException {
        byte[] jar = History.jar(0, false, History.noise(1, 5000), History.noise(2, 700), History.noise(3, 100));
        assertEquals(2, pieces(jar).size(), "one is too small, as is all between");
        byte[] nested = History.jar(0, true, jar, History.text(1, 3000));
        assertEquals(3, pieces(nested).size());
    }

    @Test
    void somethingMayStandInFrontOfAZip() throws IOException {
        byte[] jar = History.jar(0, false, History.noise(1, 5000), History.noise(2, 7000));
        ByteArrayOutputStream with = new ByteArrayOutputStream();
        with.write(jar, 0, 4);
        with.write(new byte[3000]);
        with.write(jar);
        // as self-extracting ones are; this one begins like a zip
        assertTrue(pieces(with.toByteArray())
                .containsAll(List.of(pieces(jar).get(0)).stream()
                        .map(piece -> new Piece(piece.from + 3004, piece.length))
                        .toList()));
    }

    @Test
    void oddZips() throws IOException {
        ByteArrayOutputStream duplicate = new ByteArrayOutputStream();
        byte[] one = History.jar(0, false, History.noise(1, 5000));
        duplicate.write(one);
        duplicate.write(one);
        assertTrue(bytesIn(pieces(duplicate.toByteArray())) > 0);
        ByteArrayOutputStream empty = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(empty)) {
            zip.putNextEntry(new ZipEntry("folder/"));
            zip.setComment("x".repeat(60_000));
        }
        pieces(empty.toByteArray());
    }

    @Test
    void zipsThatLie() throws IOException {
        byte[] inner = History.jar(0, false, History.noise(1, 5000), History.text(2, 9000), History.noise(3, 40_000));
        byte[] jar = History.jar(0, true, inner, inner, History.text(4, 3000));
        Random random = new Random(1);
        for (int i = 0; i < 2000; i++) {
            byte[] damaged = jar.clone();
            // most of it where the structure is: at the end, and in the headers
            int around = random.nextBoolean() ? jar.length - 1 - random.nextInt(300) : random.nextInt(jar.length);
            for (int n = random.nextInt(6); n >= 0; n--) {
                damaged[Math.min(jar.length - 1, around + random.nextInt(8))] = (byte) (random.nextInt(3) - 1);
            }
            pieces(random.nextInt(4) == 0 ? Arrays.copyOf(damaged, random.nextInt(jar.length)) : damaged);
        }
    }

    /** Its central directory names members far from each other in turn: each would be looked for anew. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aZipOutOfOrderIsReadOnce() throws IOException {
        int count = 10_000;
        byte[] zip = new byte[(1 << 20) + 46 * count + 22];
        ByteBuffer out = ByteBuffer.wrap(zip).order(ByteOrder.LITTLE_ENDIAN);
        out.putInt(0x04034b50);
        out.position(1 << 20);
        for (int i = 0; i < count; i++) {
            out.putInt(0x02014b50).position(out.position() + 38);
            out.putInt(i % 2 == 0 ? i : 600_000 + i);
        }
        int end = out.position();
        out.putInt(0x06054b50).putInt(0).putShort((short) count).putShort((short) count);
        out.putInt(end - (1 << 20)).putInt(1 << 20).putShort((short) 0);
        Path file = Files.write(tmp.resolve("file"), zip);
        long before = bytesRead();
        try (SeekableFileReader source = new SeekableFileReader(file, zip.length, SeekableFileReader.WINDOW)) {
            ZipEntryScanner.of(source, 0, zip.length);
        }
        assertTrue(bytesRead() - before < 64 << 20, bytesRead() - before + " bytes");
    }

    /** By this process so far. */
    private static long bytesRead() throws IOException {
        return Long.parseLong(
                Files.readAllLines(Path.of("/proc/self/io")).get(0).substring("rchar: ".length()));
    }

    @Test
    void aFileThatShrinksIsNamed() throws IOException {
        Path file = Files.write(tmp.resolve("shrinks"), new byte[100_000]);
        try (SeekableFileReader source = new SeekableFileReader(file, 100_000, SeekableFileReader.WINDOW)) {
            Delta recipe = new Delta(source);
            recipe.add(0, 1000, 0);
            recipe.end(100_000);
            Files.write(file, new byte[50_000]);
            assertFails(file + ": it shrank while it was read", () -> recipe.writeTo(OutputStream.nullOutputStream()));
        }
    }
}
