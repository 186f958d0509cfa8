package io.jenkins.plugins.compressionaware.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Frame;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A stream damaged in transit is rejected and leaves the archive unchanged. */
@Timeout(120)
class DamagedStreamTest {
    private static final int BLOCK = 4096;

    @TempDir
    Path tmp;

    private Path workspace;
    private Map<String, String> names;

    @BeforeEach
    void prepare() throws Exception {
        workspace = Files.createDirectory(tmp.resolve("workspace"));
        Files.write(workspace.resolve("noise"), FileTrees.noise(9_000));
        Files.writeString(workspace.resolve("text"), "to be or not to be\n".repeat(1_500));
        Files.createSymbolicLink(workspace.resolve("link"), Path.of("text"));
        names = FileTrees.names(workspace);
    }

    /** Some flipped bits are harmless, for example those that only pad a byte. */
    @ParameterizedTest
    @EnumSource(Codec.class)
    void rejectsFlippedBits(Codec codec) throws Exception {
        byte[] stream = stream(codec);
        Random random = new Random(codec.ordinal());
        for (int i = 0; i < 120; i++) {
            int bit = random.nextInt(stream.length * 8);
            byte[] flipped = stream.clone();
            flipped[bit / 8] ^= (byte) (1 << bit % 8);
            assertTrue(rejection(flipped) != null || codec != Codec.NONE, "bit " + bit);
        }
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void rejectsTruncatedStream(Codec codec) throws Exception {
        byte[] stream = stream(codec);
        List<byte[]> frames = CapturedTransfer.frames(stream);
        int end = stream.length - frames.get(frames.size() - 1).length;
        for (int length : List.of(0, 1, stream.length / 3, stream.length / 2, end, end + 1, stream.length - 1)) {
            assertRejected(CapturedTransfer.NO_END, Arrays.copyOf(stream, length));
        }
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void rejectsRepeatedFrame(Codec codec) throws Exception {
        List<byte[]> frames = new ArrayList<>(CapturedTransfer.frames(stream(codec)));
        frames.add(2, frames.get(1));
        assertRejected("block 1 after block 1", CapturedTransfer.join(frames));
    }

    @Test
    void rejectsMissingFrame() throws Exception {
        List<byte[]> frames = new ArrayList<>(CapturedTransfer.frames(stream(Codec.NONE)));
        frames.remove(1);
        assertRejected(CapturedTransfer.NO_END, CapturedTransfer.join(frames));
    }

    @Test
    void rejectsEarlyEndFrame() throws Exception {
        List<byte[]> frames = CapturedTransfer.frames(stream(Codec.NONE));
        byte[] end = Frame.end(Codec.NONE, 2);
        assertRejected("", CapturedTransfer.join(List.of(frames.get(0), frames.get(1), end)));
    }

    @Test
    void rejectsOtherProtocol() throws Exception {
        assertRejected(
                "not the start of a frame", "HTTP/1.1 404 Not Found\r\n\r\n<html>nothing here</html>".getBytes());
    }

    @Test
    void acceptsUndamagedStream() throws Exception {
        assertNull(rejection(stream(Codec.NONE)));
    }

    private byte[] stream(Codec codec) throws Exception {
        return CapturedTransfer.stream(workspace, names, new SendOptions(codec, codec.defaultLevel(), BLOCK, 1));
    }

    private void assertRejected(String reason, byte[] stream) throws Exception {
        String rejection = rejection(stream);
        assertTrue(rejection != null && rejection.contains(reason), rejection);
    }

    /** Returns why a delivery into an archive with existing files is rejected; null if it is accepted. */
    private String rejection(byte[] stream) throws Exception {
        Path archive = Files.createTempDirectory(tmp, "parent").resolve("archive");
        FileTrees.write(archive, "text", "earlier");
        FileTrees.write(archive, "other", "earlier");
        Files.createSymbolicLink(archive.resolve("link"), Path.of("other"));
        Map<String, String> before = FileTrees.describe(archive);
        String rejection = null;
        try {
            CapturedTransfer.deliver(stream, archive, names.keySet(), BLOCK);
            before.putAll(FileTrees.describe(workspace));
        } catch (IOException e) {
            rejection = e.getMessage();
            assertFalse(rejection.isBlank());
        }
        assertEquals(before, FileTrees.describe(archive));
        assertEquals(1, FileTrees.list(archive.getParent()).size(), "only the archive is left");
        return rejection;
    }
}
