package io.jenkins.plugins.compressionaware.engine.framefile;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileTarInputStream;
import io.jenkins.plugins.compressionaware.engine.send.CompressionMode;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Frame;
import io.jenkins.plugins.compressionaware.testing.Jvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FrameFileTest {
    @TempDir
    private Path folder;

    private Path tree;
    private Path file;

    @BeforeEach
    void prepare() throws Exception {
        tree = Files.createDirectory(folder.resolve("tree"));
        byte[] noise = FileTrees.noise(1_000_000);
        Files.write(tree.resolve("noise"), noise);
        file = folder.resolve("x.tar.zst");
    }

    private void store(Codec codec) throws Exception {
        store(codec, Checksum.CRC32C);
    }

    private void store(Codec codec, Checksum checksum) throws Exception {
        CompressionMode.Fixed compression = new CompressionMode.Fixed(new CodecLevel(codec, codec.defaultLevel()));
        SendOptions options = new SendOptions(compression, FrameCodec.DEFAULT_BLOCK, 1, checksum);
        CapturedTransfer.store(tree, FileTrees.names(tree), options, file);
    }

    private byte[] tar() throws IOException {
        try (FrameFile frameFile = FrameFile.open(file);
                FrameFileTarInputStream tar = new FrameFileTarInputStream(frameFile, Runnable::run)) {
            return tar.readAllBytes();
        }
    }

    @Test
    void changedByteOfBlockIsNoticed() throws Exception {
        store(Codec.NONE);
        byte[] bytes = Files.readAllBytes(file);
        try (FrameFile stored = FrameFile.open(file)) {
            assertTrue(FrameFileTarInputStream.isIntact(stored, Runnable::run));
        }
        bytes[200] ^= 1;
        Files.write(file, bytes);
        try (FrameFile stored = FrameFile.open(file)) {
            assertFalse(FrameFileTarInputStream.isIntact(stored, Runnable::run));
        }
    }

    /** An agent may send any number of frames of one byte. */
    @Test
    void heapUseDoesNotGrowWithFrames() throws Exception {
        List<String> output = Jvm.run(List.of("-Xmx16m"), ManyFrames.class, folder.toString());
        assertEquals(List.of("1500000 bytes"), output);
    }

    /** Runs in a separate JVM with a small heap. */
    static final class ManyFrames {
        private ManyFrames() {}

        public static void main(String[] args) throws Exception {
            int frames = 1_500_000;
            Path file = Path.of(args[0], "x");
            try (FrameFileWriter writer = new FrameFileWriter(file, Path.of(args[0], "partial"), 1, Long.MAX_VALUE)) {
                for (int i = 0; i < frames; i++) {
                    boolean last = i == frames - 1;
                    FrameHeader header = new FrameHeader(Codec.NONE, i, last ? 0 : 1, 1, Checksum.CRC32C, 0);
                    writer.append(header, new byte[1], 1);
                }
                writer.finish();
                writer.commit();
            }
            try (FrameFile frameFile = FrameFile.open(file)) {
                System.out.println(frameFile.wireBytes() + " bytes");
            }
        }
    }

    /** A circle of links fails like a disk that does not answer. */
    @Test
    void failureAfterCommitIsNotThrown() throws Exception {
        Path disk = Files.createDirectory(folder.resolve("disk"));
        Path journal = folder.resolve("journal");
        try (FrameFileWriter writer = new FrameFileWriter(disk.resolve("x"), new StagingJournal(journal, folder), 1)) {
            writer.append(new FrameHeader(Codec.NONE, 0, 0, 1, Checksum.CRC32C, 0), new byte[1], 1);
            writer.finish();
            assertEquals(1, FileTrees.list(journal).size());
            writer.commit();
            Files.move(disk, folder.resolve("away"));
            Files.createSymbolicLink(disk, disk);
        }
        assertEquals(List.of("x"), FileTrees.list(folder.resolve("away")));
    }

    @ParameterizedTest
    @CsvSource({
        "NONE, CRC32C, ''",
        "GZIP, CRC32C, ''",
        "ZSTD, CRC32C, ZSTD",
        "GZIP, XXHASH64, LZ4",
        "ZSTD, XXHASH64, 'ZSTD, LZ4'"
    })
    void libraryOfCodecAndOfChecksumAreRequired(Codec codec, Checksum checksum, String libraries) throws Exception {
        store(codec, checksum);
        try (FrameFile frameFile = FrameFile.open(file)) {
            assertEquals("[" + libraries + "]", frameFile.libraries().toString());
        }
    }

    /** {@code zstd -dc} must open every frame file, also that of a hostile agent. */
    @Test
    void lz4IsRefused() {
        IOException thrown = assertThrows(IOException.class, () -> store(Codec.LZ4));
        assertEquals("Frame 0 is compressed with lz4, which a frame file cannot contain", thrown.getMessage());
    }

    /** The thread of an aborted build shares the file with threads of other builds. */
    @Test
    void interruptedThreadReadsRequestedBytes() throws Exception {
        store(Codec.NONE);
        byte[] all = Files.readAllBytes(file);
        byte[] read = new byte[1000];
        try (FrameFile frameFile = FrameFile.open(file)) {
            for (int position : List.of(500_000, 3, 900_000)) {
                Thread.currentThread().interrupt();
                frameFile.read(position, read, 0, read.length);
                assertTrue(Thread.interrupted());
                assertArrayEquals(Arrays.copyOfRange(all, position, position + read.length), read);
            }
        }
    }

    @Test
    void onlySameFileHasSameIdentity() throws Exception {
        store(Codec.NONE);
        try (FrameFile first = FrameFile.open(file);
                FrameFile same = FrameFile.open(file)) {
            assertEquals(first.identity(), same.identity());
            Files.copy(file, folder.resolve("copy"), StandardCopyOption.COPY_ATTRIBUTES);
            Files.move(folder.resolve("copy"), file, StandardCopyOption.REPLACE_EXISTING);
            try (FrameFile other = FrameFile.open(file)) {
                assertNotEquals(first.identity(), other.identity());
            }
        }
    }

    @Test
    void readAfterCloseFails() throws Exception {
        store(Codec.NONE);
        FrameFile frameFile = FrameFile.open(file);
        frameFile.close();
        assertFails(file + " is closed", () -> frameFile.read(0, new byte[1], 0, 1));
    }

    /** Sizes derived from the footer are limits for other figures. */
    @Test
    void impossibleLengthOfTheTarIsRejected() throws Exception {
        store(Codec.NONE);
        for (long claimed : new long[] {-5, Long.MAX_VALUE, Files.size(file) << 30}) {
            Frame.claimRawBytes(file, claimed);
            assertFails("Cannot read " + file + ": the footer does not match the file", () -> FrameFile.open(file));
        }
        Frame.claimRawBytes(file, 1);
        FrameFile.open(file).close();
    }

    @Test
    void incompleteFileIsRejected() throws Exception {
        store(Codec.NONE);
        byte[] bytes = Files.readAllBytes(file);
        for (int length : List.of(0, 10, bytes.length / 2, bytes.length - 1)) {
            Files.write(file, Arrays.copyOf(bytes, length));
            assertFailsWith(file.toString(), () -> FrameFile.open(file));
        }
    }
}
