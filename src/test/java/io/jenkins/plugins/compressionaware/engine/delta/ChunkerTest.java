package io.jenkins.plugins.compressionaware.engine.delta;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.History;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
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

/** Each chunk has the content at its position, and chunks do not overlap. */
class ChunkerTest {
    @TempDir
    Path tmp;

    private record Chunk(long from, int length) {}

    private List<Chunk> chunks(byte[] content) throws IOException {
        Path file = Files.write(tmp.resolve("file"), content);
        List<Chunk> chunks = new ArrayList<>();
        try (SeekableFileReader source = new SeekableFileReader(file, content.length, SeekableFileReader.WINDOW)) {
            Chunker.visit(source, new Chunker.Visitor() {
                @Override
                public boolean nested(long from, long length) {
                    assertTrue(from >= 0 && length > 0 && from + length <= content.length);
                    return false;
                }

                @Override
                public boolean chunk(long from, byte[] bytes, int offset, int length) {
                    assertArrayEquals(
                            Arrays.copyOfRange(content, (int) from, (int) from + length),
                            Arrays.copyOfRange(bytes, offset, offset + length));
                    chunks.add(new Chunk(from, length));
                    return true;
                }
            });
        }
        long end = 0;
        for (Chunk chunk : chunks) {
            assertTrue(chunk.from >= end && chunk.length <= FastCdcChunker.MAX_CHUNK, chunk.toString());
            end = chunk.from + chunk.length;
        }
        assertTrue(end <= content.length);
        return chunks;
    }

    private static long bytesIn(List<Chunk> chunks) {
        return chunks.stream().mapToLong(Chunk::length).sum();
    }

    @Test
    void otherFilesAreCutByContent() throws IOException {
        List<Chunk> chunks = chunks(History.noise(1, 4 << 20));
        assertEquals(4 << 20, bytesIn(chunks));
        int usual = (4 << 20) / chunks.size();
        assertTrue(
                usual > FastCdcChunker.TARGET_CHUNK / 2 && usual < 2 * FastCdcChunker.TARGET_CHUNK, usual + " bytes");
        assertEquals(
                (1 << 20) / FastCdcChunker.MAX_CHUNK, chunks(new byte[1 << 20]).size(), "content without cut points");
    }

    @Test
    void insertionMovesFewCuts() throws IOException {
        byte[] content = History.noise(1, 2 << 20);
        byte[] other = ByteBuffer.allocate(content.length + 1)
                .put(content, 0, 1 << 20)
                .put((byte) 7)
                .put(content, 1 << 20, 1 << 20)
                .array();
        List<Chunk> before = chunks(content);
        List<Chunk> after = new ArrayList<>(chunks(other));
        after.replaceAll(chunk -> chunk.from > 1 << 20 ? new Chunk(chunk.from - 1, chunk.length) : chunk);
        after.removeAll(before);
        assertTrue(after.size() <= 3, after.toString());
    }

    @Test
    void zipEntriesAreChunks() throws IOException {
        byte[] jar = History.jar(0, false, History.noise(1, 5000), History.noise(2, 700), History.noise(3, 100));
        assertEquals(2, chunks(jar).size(), "one entry and all gaps are too short");
        byte[] nested = History.jar(0, true, jar, History.text(1, 3000));
        assertEquals(3, chunks(nested).size());
    }

    @Test
    void zipBehindOtherBytesIsRecognized() throws IOException {
        byte[] jar = History.jar(0, false, History.noise(1, 5000), History.noise(2, 7000));
        ByteArrayOutputStream with = new ByteArrayOutputStream();
        with.write(jar, 0, 4);
        with.write(new byte[3000]);
        with.write(jar);
        // like a self-extracting zip file; the other bytes begin like a zip file
        assertTrue(chunks(with.toByteArray())
                .containsAll(List.of(chunks(jar).get(0)).stream()
                        .map(chunk -> new Chunk(chunk.from + 3004, chunk.length))
                        .toList()));
    }

    /** From 65,535 entries on, a zip file has an end record of zip64. */
    @Test
    void entriesOfLargestZipsAreFound() throws IOException {
        int count = 66_000;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            for (int i = 0; i < count; i++) {
                zip.putNextEntry(new ZipEntry("entry" + i));
                zip.write(i);
            }
        }
        Path file = Files.write(tmp.resolve("file"), bytes.toByteArray());
        int found = 0;
        try (SeekableFileReader source = new SeekableFileReader(file, bytes.size(), SeekableFileReader.WINDOW)) {
            ZipEntryScanner entries = ZipEntryScanner.of(source, 0, bytes.size());
            for (ZipEntryScanner.EntryRange entry = entries.next(0); entry != null; entry = entries.next(entry.end())) {
                found++;
            }
        }
        assertEquals(count, found);
    }

    @Test
    void duplicatedAndEmptyZipsYieldValidChunks() throws IOException {
        ByteArrayOutputStream duplicate = new ByteArrayOutputStream();
        byte[] one = History.jar(0, false, History.noise(1, 5000));
        duplicate.write(one);
        duplicate.write(one);
        assertTrue(bytesIn(chunks(duplicate.toByteArray())) > 0);
        ByteArrayOutputStream empty = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(empty)) {
            zip.putNextEntry(new ZipEntry("folder/"));
            zip.setComment("x".repeat(60_000));
        }
        chunks(empty.toByteArray());
    }

    @Test
    void damagedZipsYieldValidChunks() throws IOException {
        byte[] inner = History.jar(0, false, History.noise(1, 5000), History.text(2, 9000), History.noise(3, 40_000));
        byte[] jar = History.jar(0, true, inner, inner, History.text(4, 3000));
        Random random = new Random(1);
        for (int i = 0; i < 2000; i++) {
            byte[] damaged = jar.clone();
            // half of the damage is at the end, in the central directory
            int around = random.nextBoolean() ? jar.length - 1 - random.nextInt(300) : random.nextInt(jar.length);
            for (int n = random.nextInt(6); n >= 0; n--) {
                damaged[Math.min(jar.length - 1, around + random.nextInt(8))] = (byte) (random.nextInt(3) - 1);
            }
            chunks(random.nextInt(4) == 0 ? Arrays.copyOf(damaged, random.nextInt(jar.length)) : damaged);
        }
    }

    /** The central directory alternates between distant entries, each of which would cause another read. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void unorderedCentralDirectoryIsReadOnce() throws IOException {
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
        long before = DeltaRoundTrip.bytesRead();
        try (SeekableFileReader source = new SeekableFileReader(file, zip.length, SeekableFileReader.WINDOW)) {
            ZipEntryScanner.of(source, 0, zip.length);
        }
        assertTrue(DeltaRoundTrip.bytesRead() - before < 64 << 20, DeltaRoundTrip.bytesRead() - before + " bytes");
    }
}
