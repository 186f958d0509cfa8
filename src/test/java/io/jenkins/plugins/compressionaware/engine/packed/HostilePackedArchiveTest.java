package io.jenkins.plugins.compressionaware.engine.packed;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CorruptFrameException;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileFooter;
import io.jenkins.plugins.compressionaware.engine.framefile.LocalFile;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.tar.TarEntry;
import io.jenkins.plugins.compressionaware.engine.tar.TarHeader;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Frame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an agent may send or archive to mislead the readers of packed archives. */
@Timeout(60)
class HostilePackedArchiveTest {
    @TempDir
    Path tmp;

    private Path tree;
    private Path archive;

    @BeforeEach
    void prepare() throws Exception {
        tree = Files.createDirectory(tmp.resolve("tree"));
        archive = tmp.resolve("archive");
    }

    private void pack() throws Exception {
        Packed.archive(tree, archive);
    }

    private Path file() {
        return archive.resolve("packed-artifacts/1.tar.zst");
    }

    /** An agent may have archived a file whose index claims to be very long. */
    @Test
    void longForgedIndexNeedsLittleHeap() throws Exception {
        FileTrees.write(tree, "a", "first");
        pack();
        byte[] whole = Files.readAllBytes(file());
        byte[] end = Arrays.copyOfRange(whole, whole.length - 300, whole.length);
        try (RandomAccessFile bytes = new RandomAccessFile(file().toFile(), "rw")) {
            bytes.seek((1L << 30) + whole.length);
            bytes.write(end);
        }
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        try (LocalFile forged = new LocalFile(file())) {
            assertThrows(CorruptFrameException.class, () -> PackedIndex.root(forged));
        }
        assertTrue(threads.getCurrentThreadAllocatedBytes() - before < 16 << 20);
    }

    /** An index may be wrong about an entry. */
    @Test
    void headerInTarIsCompared() throws Exception {
        FileTrees.write(tree, "a", "first");
        FileTrees.write(tree, "b", "other");
        pack();
        PackedArchive.Found found = PackedArchive.of(archive).find("b");
        TarEntry wrong = found.entry().withName("a");
        assertFails(
                "Cannot read a: another entry is in its place",
                () -> found.file().open(wrong));
    }

    /** It has the length of the right one, so only the headers in the tar tell. */
    @Test
    void indexOfSimilarFileReturnsNoOtherContent() throws Exception {
        FileTrees.write(tree, "a", "first");
        FileTrees.write(tree, "b", "other");
        Packed.forged(tree, archive);
        PackedArchive packed = PackedArchive.of(archive);
        assertEquals(Set.of("a", "b"), packed.list("").keySet());
        assertFails(
                "Cannot read a: another entry is in its place",
                () -> packed.find("a").open());
    }

    @Test
    void indexOfOtherFileIsRebuilt() throws Exception {
        FileTrees.write(tree, "a", "first");
        pack();
        byte[] frames = Files.readAllBytes(file());
        int end;
        try (LocalFile right = new LocalFile(file())) {
            end = (int) FrameFileFooter.of(right).framesEnd();
        }
        FileTrees.write(tree, "b", "other ".repeat(1_000));
        FileTrees.delete(archive);
        pack();
        byte[] other = Files.readAllBytes(file());
        try (LocalFile wrong = new LocalFile(file())) {
            int start = (int) FrameFileFooter.of(wrong).framesEnd();
            byte[] index = Arrays.copyOfRange(other, start, other.length);
            Files.write(file(), CapturedTransfer.join(List.of(Arrays.copyOf(frames, end), index)));
        }
        PackedArchive packed = PackedArchive.of(archive);
        assertEquals(Set.of("a"), packed.list("").keySet());
        try (InputStream in = packed.find("a").open()) {
            assertEquals("first", new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    /** An earlier step may have archived a link to the packed archives of another job. */
    @Test
    @DisabledOnOs(OS.WINDOWS)
    void nothingIsAddedBehindALink() throws Exception {
        Path other = Files.createDirectories(tmp.resolve("other"));
        Files.createDirectories(archive);
        Files.createSymbolicLink(archive.resolve("packed-artifacts"), other);
        FileTrees.write(tree, "a", "first");
        assertThrows(IOException.class, this::pack);
        assertEquals(List.of(), FileTrees.list(other));
    }

    /** Its index could be forged. */
    @Test
    void plainFileThatLooksPackedIsRefused() throws Exception {
        FileTrees.write(tree, "a", "first");
        pack();
        Map<String, String> files = Map.of("packed-artifacts/2.tar.zst", "packed-artifacts/1.tar.zst");
        byte[] stream = CapturedTransfer.stream(archive, files, new SendOptions(Codec.GZIP, 6, Packed.BLOCK, 1));
        Path plain = tmp.resolve("plain");
        assertFails(
                "Refused packed-artifacts/2.tar.zst: it looks like packed artifacts",
                () -> CapturedTransfer.deliver(stream, plain, files.keySet(), Packed.BLOCK));
        assertEquals(List.of(), FileTrees.list(plain));
    }

    @ParameterizedTest
    @ValueSource(strings = {"b", "aa"})
    void unrequestedOrRepeatedNameIsRefused(String names) throws Exception {
        ByteArrayOutputStream tar = new ByteArrayOutputStream();
        for (String name : names.split("")) {
            tar.writeBytes(TarHeader.of(name, 0, Files.readAttributes(tmp, PosixFileAttributes.class)));
        }
        tar.writeBytes(new byte[TarHeader.TRAILER_LENGTH]);
        byte[] stream =
                CapturedTransfer.join(List.of(Frame.block(Codec.GZIP, 0, tar.toByteArray()), Frame.end(Codec.GZIP, 1)));
        String last = names.substring(names.length() - 1);
        assertFails(
                "Refused " + last + ": it was not requested, or came twice",
                () -> Packed.deliver(stream, archive, Set.of("a")));
    }

    @Test
    void fileBelowAFileIsRefused() throws Exception {
        FileTrees.write(tree, "x", "1");
        Map<String, String> files = Map.of("a", "x", "a/b", "x");
        assertFails(
                "Refused a/b: a is no folder but was sent as something else",
                () -> Packed.archive(tree, files, archive, Codec.GZIP));
        assertEquals(0, FileTrees.list(archive).size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"../x", "a/../../x", ".", ""})
    void namesOutsideAreRefused(String name) throws Exception {
        FileTrees.write(tree, "x", "1");
        assertFails(
                "Refused " + name + ": it leaves the archive folder",
                () -> Packed.archive(tree, Map.of(name, "x"), archive, Codec.GZIP));
    }
}
