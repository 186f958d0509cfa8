package io.jenkins.plugins.compressionaware.engine.send;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import io.jenkins.plugins.compressionaware.engine.tar.SeekableTar;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A {@link VirtualFrameFile} yields the frames of a real frame file, without writing one. */
class VirtualFrameFileTest {
    static final int BLOCK = 64 * 1024;

    @TempDir
    private Path tmp;

    private Path tree;

    @BeforeEach
    void prepare() throws IOException {
        tree = Files.createDirectory(tmp.toRealPath().resolve("tree"));
    }

    static SortedMap<String, SeekableTar.Entry> entries(Path tree, boolean mayChange) throws IOException {
        SortedMap<String, SeekableTar.Entry> entries = new TreeMap<>();
        for (String name : FileTrees.names(tree).keySet()) {
            if (!Files.isDirectory(tree.resolve(name), LinkOption.NOFOLLOW_LINKS)) {
                entries.put(name, SeekableTar.Entry.look(tree, name, mayChange));
            }
        }
        return entries;
    }

    private VirtualFrameFile frames() throws IOException {
        return frames(false);
    }

    private VirtualFrameFile frames(boolean mayChange) throws IOException {
        return new VirtualFrameFile(
                new SeekableTar(tree, entries(tree, mayChange), false), BLOCK, Checksum.CRC32C, DiskHelpers.NONE);
    }

    /** A digest covers the fetched bytes and needs no second read of a file, even of a large file that was sampled. */
    @Test
    void samplesDoNotAffectDigests() throws Exception {
        byte[] content = FileTrees.noise(3 * BLOCK);
        Files.write(tree.resolve("large"), content);
        SeekableTar tar = new SeekableTar(tree, entries(tree, false), true);
        VirtualFrameFile frames = new VirtualFrameFile(tar, BLOCK, Checksum.CRC32C, DiskHelpers.NONE);
        assertEquals(4096, frames.sample(0, new byte[4096]));
        all(frames);
        Files.delete(tree.resolve("large"));
        byte[] digest = MessageDigest.getInstance("MD5").digest(content);
        assertEquals(Map.of("large", HexFormat.of().formatHex(digest)), tar.digests());
    }

    static byte[] all(VirtualFrameFile frames) throws IOException {
        byte[] all = new byte[(int) frames.wireBytes()];
        frames.read(0, all, 0, all.length);
        return all;
    }

    /** Returns the frames of a real frame file, without its footer. */
    private byte[] realFrames(int name, long length) throws Exception {
        Path file = tmp.resolve(name + ".tar.zst");
        SortedMap<String, String> names = new TreeMap<>();
        entries(tree, false).keySet().forEach(each -> names.put(each, each));
        SendOptions options = new SendOptions(Codec.NONE, 0, BLOCK, 1);
        try (FrameFileWriter writer =
                new FrameFileWriter(file, tmp.resolve(name + ".partial"), BLOCK, Long.MAX_VALUE)) {
            FrameFileSink.store(tree, names, options, writer);
            writer.commit();
        }
        byte[] bytes = Files.readAllBytes(file);
        assertTrue(bytes.length > length, bytes.length + " bytes instead of more than " + length);
        return Arrays.copyOf(bytes, (int) length);
    }

    /** A frame may contain a hundred files, but a sample reads one or two. */
    @Test
    void sampleIsStartOfBlock() throws Exception {
        Files.write(tree.resolve("large"), "text".repeat(BLOCK).getBytes(StandardCharsets.US_ASCII));
        try (VirtualFrameFile frames = frames()) {
            byte[] sample = new byte[1000];
            assertEquals(1000, frames.sample(frames.wireBytes() / 2, sample));
            assertEquals("text".repeat(250), new String(sample, StandardCharsets.US_ASCII));
            assertTrue(frames.sample(frames.wireBytes() - 1, sample) > 0);
        }
    }

    @Test
    void framesEqualThoseOfRealFrameFile() throws Exception {
        for (int seed = 0; seed < 8; seed++) {
            tree = Files.createDirectory(tmp.toRealPath().resolve("tree-" + seed));
            RandomTree.create(tree, seed);
            Files.write(tree.resolve("large"), new byte[3 * BLOCK + seed]);
            Files.writeString(tree.resolve("n".repeat(100 + seed)), "a long name");
            Files.createSymbolicLink(tree.resolve("long-link"), Path.of("\u00e4".repeat(97 + seed)));
            try (VirtualFrameFile frames = frames()) {
                byte[] bytes = all(frames);
                assertArrayEquals(realFrames(seed, bytes.length), bytes, "seed " + seed);
                Random random = new Random(seed);
                for (int i = 0; i < 50; i++) {
                    int from = random.nextInt(bytes.length);
                    byte[] part = new byte[random.nextInt(bytes.length - from)];
                    frames.read(from, part, 0, part.length);
                    assertArrayEquals(Arrays.copyOfRange(bytes, from, from + part.length), part);
                }
            }
        }
    }

    @Test
    void emptyTreeYieldsFramesOfEmptyTar() throws Exception {
        try (VirtualFrameFile frames = frames()) {
            byte[] bytes = all(frames);
            assertArrayEquals(realFrames(0, bytes.length), bytes);
            assertThrows(EOFException.class, () -> frames.read(bytes.length, new byte[1], 0, 1));
            assertThrows(EOFException.class, () -> frames.read(-1, new byte[1], 0, 1));
        }
    }

    private void assertRejected(VirtualFrameFile frames, String... words) {
        IOException rejected = assertThrows(IOException.class, () -> all(frames));
        for (String word : words) {
            assertTrue(rejected.getMessage().contains(word), rejected.getMessage());
        }
        assertEquals(rejected.getMessage(), frames.failure().getMessage());
    }

    @Test
    void rejectsFileChangedBeforeRead() throws Exception {
        Path file = Files.write(tree.resolve("file"), new byte[BLOCK]);
        try (VirtualFrameFile frames = frames()) {
            Files.write(file, new byte[BLOCK - 1]);
            assertRejected(frames, "Cannot read file as it was");
        }
        try (VirtualFrameFile frames = frames()) {
            Files.setLastModifiedTime(file, FileTime.fromMillis(1_000_000));
            assertRejected(frames, "Cannot read file as it was: it has changed");
        }
        try (VirtualFrameFile frames = frames()) {
            Files.delete(file);
            assertRejected(frames, "Cannot read file: there is no such file");
        }
    }

    /** A build may archive a file again with an unchanged time stamp. */
    @Test
    void rejectsFileReplacedBetweenBlocks() throws Exception {
        Path file = Files.write(tree.resolve("file"), new byte[3 * BLOCK]);
        for (boolean mayChange : new boolean[] {true, false}) {
            try (VirtualFrameFile frames = frames(mayChange)) {
                byte[] half = new byte[BLOCK];
                frames.read(0, half, 0, half.length);
                Path other = Files.copy(file, tmp.resolve("other"), StandardCopyOption.COPY_ATTRIBUTES);
                Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
                if (mayChange) {
                    assertRejected(frames, "Cannot read file as it was: it has changed");
                } else {
                    // deduplication may replace equal files
                    all(frames);
                }
            }
        }
    }

    /** Deduplication replaces files of a finished build by hard links to an earlier build. */
    @Test
    void acceptsFileReplacedByLinkToEqualFile() throws Exception {
        Path file = Files.write(tree.resolve("file"), new byte[3 * BLOCK]);
        byte[] before;
        try (VirtualFrameFile frames = frames()) {
            before = all(frames);
        }
        Path earlier = Files.copy(file, tmp.resolve("earlier"));
        Files.setLastModifiedTime(earlier, FileTime.fromMillis(1_000_000));
        try (VirtualFrameFile running = frames(true);
                VirtualFrameFile frames = frames()) {
            Files.move(Files.createLink(tmp.resolve("link"), earlier), file, StandardCopyOption.ATOMIC_MOVE);
            assertArrayEquals(before, all(frames));
            assertRejected(running, "Cannot read file as it was: it has changed");
        }
        try (VirtualFrameFile frames = frames()) {
            Files.write(file, new byte[3 * BLOCK]);
            assertRejected(frames, "Cannot read file as it was: it has changed");
        }
    }

    @Test
    void rejectsLinkThatReplacedFile() throws Exception {
        Path secret = Files.writeString(tmp.resolve("secret"), "a secret of the controller");
        Path file = Files.writeString(tree.resolve("file"), "x".repeat(26));
        Files.setLastModifiedTime(file, Files.getLastModifiedTime(secret));
        try (VirtualFrameFile frames = frames()) {
            Files.delete(file);
            Files.createSymbolicLink(file, secret);
            assertRejected(frames, "Cannot read file as it was");
        }
    }

    @Test
    void rejectsLinkThatReplacedFolder() throws Exception {
        Path outside = FileTrees.write(tmp, "outside/file", "a secret of the controller")
                .getParent();
        Path folder = FileTrees.write(tree, "folder/file", "x".repeat(26)).getParent();
        FileTime time = FileTime.fromMillis(1_000_000);
        Files.setLastModifiedTime(outside.resolve("file"), time);
        Files.setLastModifiedTime(folder.resolve("file"), time);
        try (VirtualFrameFile frames = frames()) {
            Files.move(folder, tmp.resolve("moved"));
            Files.createSymbolicLink(folder, outside);
            byte[] got = new byte[(int) frames.wireBytes()];
            assertFailsWith("leads out of", () -> frames.read(0, got, 0, got.length));
            assertFalse(new String(got, StandardCharsets.ISO_8859_1).contains("secret of"));
        }
    }

    @Test
    void linksAreSentUnresolved() throws Exception {
        Files.writeString(tmp.resolve("secret"), "a secret of the controller");
        Files.createSymbolicLink(tree.resolve("link"), Path.of("../secret"));
        try (VirtualFrameFile frames = frames()) {
            String bytes = new String(all(frames), StandardCharsets.ISO_8859_1);
            assertTrue(bytes.contains("../secret"));
            assertFalse(bytes.contains("secret of"));
        }
    }

    /** With an object for each block, 32 fetches of a large file would need a gigabyte, and this test more than 100. */
    @Test
    void heapDoesNotGrowWithTheSizeOfFile() {
        SeekableTar.Entry huge = new SeekableTar.Entry("huge", 120L << 40, 0, 0644, null, null);
        TarBlocks blocks = new TarBlocks(new SeekableTar(tree, new TreeMap<>(Map.of("huge", huge)), false), BLOCK);
        int last = blocks.size() - 1;
        for (int number : List.of(0, 1, last / 2, last - 1, last)) {
            TarBlocks.Block block = blocks.get(number);
            long end = block.position() + TarBlocks.frameLength(block.length());
            assertEquals(number, blocks.at(block.position()));
            assertEquals(number, blocks.at(end - 1));
            assertEquals(
                    number == last ? blocks.framesEnd() : blocks.get(number + 1).position(), end);
        }
    }
}
