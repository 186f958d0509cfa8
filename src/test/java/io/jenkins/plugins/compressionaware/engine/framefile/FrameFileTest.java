package io.jenkins.plugins.compressionaware.engine.framefile;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static io.jenkins.plugins.compressionaware.testing.Failures.assertFailsWith;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileTarInputStream;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Jvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file that holds the frames of a stash. */
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

    private void store(Codec codec, Checksum checksum) throws Exception {
        SendOptions options = new SendOptions(codec, codec.defaultLevel()).with(checksum);
        CapturedTransfer.store(tree, FileTrees.names(tree), options, file);
    }

    private byte[] tar() throws IOException {
        try (FrameFile stored = FrameFile.open(file);
                FrameFileTarInputStream tar = new FrameFileTarInputStream(stored, Runnable::run)) {
            return tar.readAllBytes();
        }
    }

    /** An agent may send as many as it likes, of a byte each. */
    @Test
    void manyFramesTakeNoHeap() throws Exception {
        List<String> said =
                Jvm.run(List.of("-Xmx16m"), System.getProperty("java.class.path"), ManyFrames.class, folder.toString());
        assertEquals(List.of("1500000 bytes"), said);
    }

    /** Runs in a JVM of its own. */
    static final class ManyFrames {
        private ManyFrames() {}

        public static void main(String[] args) throws Exception {
            int frames = 1_500_000;
            Path file = Path.of(args[0], "x");
            try (FrameFileWriter writer = new FrameFileWriter(file, Path.of(args[0], "partial"), 1)) {
                for (int i = 0; i < frames; i++) {
                    boolean last = i == frames - 1;
                    FrameHeader header = new FrameHeader(Codec.NONE, last, i, last ? 0 : 1, 1, Checksum.NONE, 0);
                    writer.append(header, new byte[1], 1);
                }
                writer.finish();
                writer.commit();
            }
            try (FrameFile stored = FrameFile.open(file)) {
                System.out.println(stored.wireBytes() + " bytes");
            }
        }
    }

    @Test
    void itSaysWhetherItsFramesNeedALibrary() throws Exception {
        for (Codec codec : Codec.values()) {
            for (Checksum checksum : Checksum.values()) {
                store(codec, checksum);
                try (FrameFile stored = FrameFile.open(file)) {
                    assertEquals(
                            codec.needsLibrary() || checksum == Checksum.XXH64,
                            stored.needsLibraries(),
                            codec + " " + checksum);
                }
            }
        }
    }

    /** As that of a thread whose build is aborted, while others still read for another one. */
    @Test
    void anInterruptBreaksOffNoRead() throws Exception {
        store(Codec.NONE, Checksum.NONE);
        byte[] all = Files.readAllBytes(file);
        byte[] read = new byte[1000];
        try (FrameFile stored = FrameFile.open(file)) {
            for (int position : List.of(500_000, 3, 900_000)) {
                Thread.currentThread().interrupt();
                stored.read(position, read, 0, read.length);
                assertTrue(Thread.interrupted());
                assertArrayEquals(Arrays.copyOfRange(all, position, position + read.length), read);
            }
        }
    }

    @Test
    void aClosedFileIsNotRead() throws Exception {
        store(Codec.NONE, Checksum.NONE);
        FrameFile stored = FrameFile.open(file);
        stored.close();
        assertFails(file + " is closed", () -> stored.read(0, new byte[1], 0, 1));
    }

    @Test
    void aFileThatIsNotWholeIsRefused() throws Exception {
        store(Codec.NONE, Checksum.XXH64);
        byte[] bytes = Files.readAllBytes(file);
        for (int length : List.of(0, 10, bytes.length / 2, bytes.length - 1)) {
            Files.write(file, Arrays.copyOf(bytes, length));
            assertFailsWith(file.toString(), () -> FrameFile.open(file));
        }
    }
}
