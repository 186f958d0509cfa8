package io.jenkins.plugins.compressionaware.engine.framefile;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileTarInputStream;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Frame;
import io.jenkins.plugins.compressionaware.testing.Jvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
        SendOptions options = new SendOptions(codec, codec.defaultLevel());
        CapturedTransfer.store(tree, FileTrees.names(tree), options, file);
    }

    private byte[] tar() throws IOException {
        try (FrameFile frameFile = FrameFile.open(file);
                FrameFileTarInputStream tar = new FrameFileTarInputStream(frameFile, Runnable::run)) {
            return tar.readAllBytes();
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
            try (FrameFileWriter writer = new FrameFileWriter(file, Path.of(args[0], "partial"), 1)) {
                for (int i = 0; i < frames; i++) {
                    boolean last = i == frames - 1;
                    FrameHeader header = new FrameHeader(Codec.NONE, i, last ? 0 : 1, 1, 0);
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

    @Test
    void needsLibrariesIfCodecDoes() throws Exception {
        for (Codec codec : Codec.values()) {
            store(codec);
            try (FrameFile frameFile = FrameFile.open(file)) {
                assertEquals(codec.needsLibrary(), frameFile.needsLibraries(), codec.toString());
            }
        }
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
