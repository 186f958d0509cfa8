package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.send.SendOptions;
import io.jenkins.plugins.compressionaware.testkit.Capture;
import io.jenkins.plugins.compressionaware.testkit.Frame;
import io.jenkins.plugins.compressionaware.testkit.Threads;
import io.jenkins.plugins.compressionaware.testkit.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A stream that was damaged on its way is refused, and the archive is as it was before. */
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
        Random random = new Random(4);
        byte[] noise = new byte[9_000];
        random.nextBytes(noise);
        Files.write(workspace.resolve("noise"), noise);
        Files.writeString(workspace.resolve("text"), "to be or not to be\n".repeat(1_500));
        Files.createSymbolicLink(workspace.resolve("link"), Path.of("text"));
        names = Trees.names(workspace);
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void flippedBits(Codec codec) throws Exception {
        byte[] stream = stream(codec);
        Random random = new Random(codec.ordinal());
        List<Callable<Void>> cases = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            int bit = random.nextInt(stream.length * 8);
            cases.add(playFlipped(codec, stream, bit));
        }
        Threads.runAll(cases);
    }

    /** A flip in a few places leaves the data as it is, such as in bits that only fill a byte up. */
    private Callable<Void> playFlipped(Codec codec, byte[] stream, int bit) {
        byte[] flipped = stream.clone();
        flipped[bit / 8] ^= (byte) (1 << bit % 8);
        return () -> {
            Play play = new Play(flipped);
            if (codec == Codec.NONE || play.failure != null) {
                play.assertRefused("bit " + bit + " of " + codec);
            } else {
                play.assertLanded();
            }
            return null;
        };
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void truncated(Codec codec) throws Exception {
        byte[] stream = stream(codec);
        int end = Capture.frames(stream).stream().reduce((a, b) -> b).orElseThrow().length;
        List<Callable<Void>> cases = new ArrayList<>();
        Random random = new Random(codec.ordinal());
        for (int length : Stream.of(
                        Stream.of(0, 1, stream.length - 1, stream.length - end, stream.length - end + 1),
                        random.ints(20, 0, stream.length).boxed())
                .flatMap(s -> s)
                .toList()) {
            cases.add(() -> {
                new Play(Arrays.copyOf(stream, length)).assertRefused(Capture.NO_END);
                return null;
            });
        }
        Threads.runAll(cases);
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void frameSentTwice(Codec codec) throws Exception {
        List<byte[]> frames = new ArrayList<>(Capture.frames(stream(codec)));
        frames.add(2, frames.get(1));
        new Play(Capture.join(frames)).assertRefused("block 1 after block 1");
    }

    @Test
    void frameLeftOut() throws Exception {
        List<byte[]> frames = new ArrayList<>(Capture.frames(stream(Codec.NONE)));
        frames.remove(1);
        new Play(Capture.join(frames)).assertRefused(Capture.NO_END);
    }

    @Test
    void endFrameTooEarly() throws Exception {
        List<byte[]> frames = Capture.frames(stream(Codec.NONE));
        byte[] end = Frame.end(Codec.NONE, 2);
        new Play(Capture.join(List.of(frames.get(0), frames.get(1), end))).assertRefused("");
    }

    @Test
    void bytesOfAnotherProtocol() throws Exception {
        new Play("HTTP/1.1 404 Not Found\r\n\r\n<html>nothing here</html>".getBytes())
                .assertRefused("not the start of a frame");
    }

    @Test
    void whatWasNotDamagedLands() throws Exception {
        new Play(stream(Codec.NONE)).assertLanded();
    }

    private byte[] stream(Codec codec) throws Exception {
        return Capture.stream(workspace, names, new SendOptions(codec, codec.defaultLevel(), BLOCK, 1));
    }

    /** One delivery into an archive that has a file of each kind already. */
    private final class Play {
        private final Path home = Files.createTempDirectory(tmp, "home");
        private final Path archive = Files.createDirectory(home.resolve("archive"));
        private final Map<String, String> before;
        private IOException failure;

        Play(byte[] stream) throws Exception {
            Files.writeString(archive.resolve("text"), "earlier");
            Files.writeString(archive.resolve("other"), "earlier");
            Files.createSymbolicLink(archive.resolve("link"), Path.of("other"));
            before = Trees.describe(archive);
            try {
                Capture.deliver(stream, archive, names.keySet(), BLOCK);
            } catch (IOException e) {
                failure = e;
            }
            assertEquals(1, Trees.list(home).size(), "only the archive is left");
        }

        void assertRefused(String reason) throws IOException {
            IOException thrown = assertThrows(
                    IOException.class,
                    () -> {
                        if (failure != null) {
                            throw failure;
                        }
                    },
                    reason);
            assertFalse(thrown.getMessage().isBlank());
            if (!reason.startsWith("bit ")) {
                assertTrue(thrown.getMessage().contains(reason), thrown.getMessage());
            }
            assertEquals(before, Trees.describe(archive), reason);
        }

        void assertLanded() throws IOException {
            assertNotEquals(before, Trees.describe(archive));
            Map<String, String> landed = Trees.describe(archive);
            landed.remove("other");
            assertEquals(Trees.describe(workspace), landed);
        }
    }
}
