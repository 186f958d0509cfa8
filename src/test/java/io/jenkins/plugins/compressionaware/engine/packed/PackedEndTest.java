package io.jenkins.plugins.compressionaware.engine.packed;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Lists of files that an agent may send after it has stored an object. */
class PackedEndTest {
    private static final int BLOCK = 64 * 1024;

    private final PackedListing listing = new PackedListing();
    private int frames;

    private static TarEntry entry(String name, char type, long position, long size) {
        return new TarEntry(name, type, position, size, 0, 0644, type == TarEntry.LINK ? "x" : "");
    }

    private void frame(Codec codec, int rawLength, int bodyLength) {
        listing.add(new FrameHeader(codec, frames++, rawLength, bodyLength, Checksum.CRC32C, 0));
    }

    private void frames() {
        frame(Codec.ZSTD, BLOCK, 1000);
        frame(Codec.ZSTD, 10_000, 100);
        frame(Codec.ZSTD, 0, 9);
    }

    private PackedEnd end(String... requested) throws IOException {
        return new PackedEnd(listing.toBytes(), Set.of(requested), BLOCK, UnaryOperator.identity());
    }

    @Test
    void validListGivesIndexAndFooter() throws Exception {
        frames();
        listing.add(entry("b", TarEntry.FILE, 2048, 3));
        listing.add(entry("a", TarEntry.FILE, 0, 10));
        PackedEnd end = end("a", "b");
        int prefix = Codec.ZSTD.envelope().prefixLength();
        assertEquals(3 * prefix + 1109, end.length() - end.bytes().length);
        byte[] bytes = end.bytes();
        PackedIndex index = PackedIndex.inMemory(Arrays.copyOf(bytes, indexLength(bytes)));
        assertEquals(3 * prefix + 1109, index.framesEnd);
        assertEquals(new PackedIndex.Place(1, BLOCK, 10_000, prefix + 1000, prefix + 100), index.place(BLOCK));
        StringBuilder names = new StringBuilder();
        index.visit("", entry -> {
            names.append(entry.name()).append(entry.size());
            return "";
        });
        assertEquals("a10b3", names.toString());
    }

    private static int indexLength(byte[] end) {
        return 8 + (end[4] & 0xFF | (end[5] & 0xFF) << 8);
    }

    @Test
    void stashHasOnlyAFooter() throws Exception {
        frames();
        assertEquals(48, new PackedEnd(listing.toBytes(), null, BLOCK, UnaryOperator.identity()).bytes().length);
    }

    @Test
    void onlyRequestedFilesAreAccepted() {
        frames();
        listing.add(entry("a", TarEntry.FILE, 0, 10));
        assertFails("Refused a: it was not requested, or came twice", () -> end("b"));
        assertFails("The transfer lacks b", () -> end("a", "b"));
    }

    @Test
    void fileCannotBeTheFolderOfAnother() {
        frames();
        listing.add(entry("a", TarEntry.LINK, 0, 0));
        listing.add(entry("a/b", TarEntry.FILE, 512, 0));
        assertFails("Refused a/b: a is no folder but was sent as something else", () -> end("a", "a/b"));
    }

    @Test
    void entriesOutsideTheTarAreRefused() {
        frames();
        listing.add(entry("a", TarEntry.FILE, 0, BLOCK + 10_001));
        assertFails("The agent sent a damaged list of files: the index is damaged", () -> end("a"));
    }

    @Test
    void namesThatLeaveTheArchiveAreRefused() {
        for (String name : new String[] {"../a", "a/../b", "/a", "a//b", "./a", "a\0b"}) {
            PackedListing hostile = new PackedListing();
            hostile.add(new FrameHeader(Codec.NONE, 0, 5000, 5000, Checksum.CRC32C, 0));
            hostile.add(new FrameHeader(Codec.NONE, 1, 0, 1, Checksum.CRC32C, 0));
            hostile.add(entry(name, TarEntry.FILE, 0, 1));
            assertThrows(
                    IOException.class,
                    () -> new PackedEnd(hostile.toBytes(), Set.of("a"), BLOCK, UnaryOperator.identity()),
                    name);
        }
    }

    @Test
    void incompleteOrUnreadableFramesAreRefused() {
        frame(Codec.ZSTD, 100, 100);
        assertFails("The end frame is missing", this::end);
        frame(Codec.LZ4, 100, 100);
        assertFails("Frame 1 is compressed with lz4, which a frame file cannot contain", this::end);
    }

    @Test
    void framesAfterTheEndFrameAreRefused() {
        frame(Codec.ZSTD, 0, 9);
        frame(Codec.ZSTD, 0, 9);
        assertFails("Frame 1 instead of frame 1", this::end);
    }

    @Test
    void overlongFramesAreRefused() {
        frame(Codec.ZSTD, BLOCK + 1, 100);
        assertFails("The agent sent a damaged list of files: the index is damaged", this::end);
    }

    /** Never anything but a result or an {@link IOException}, and no result that needs more heap than the list. */
    @Test
    void damagedListsAreRefused() throws Exception {
        frames();
        listing.add(entry("a", TarEntry.FILE, 0, 10));
        listing.add(entry("b", TarEntry.LINK, 2048, 0));
        byte[] valid = listing.toBytes();
        byte[] expected = end("a", "b").bytes();
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            byte[] damaged = valid.clone();
            for (int change = random.nextInt(3); change >= 0; change--) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            try {
                new PackedEnd(damaged, Set.of("a", "b"), BLOCK, UnaryOperator.identity());
            } catch (IOException e) {
                // refused
            }
        }
        assertArrayEquals(expected, new PackedEnd(valid, Set.of("a", "b"), BLOCK, UnaryOperator.identity()).bytes());
    }
}
