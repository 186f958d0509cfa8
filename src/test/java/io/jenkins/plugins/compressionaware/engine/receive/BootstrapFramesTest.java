package io.jenkins.plugins.compressionaware.engine.receive;

import static io.jenkins.plugins.compressionaware.testing.Failures.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.tar.EntryDecoder;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Frame;
import io.jenkins.plugins.compressionaware.testing.RandomTree;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BootstrapFramesTest {
    private static final int BLOCK = 64 * 1024;

    @AutoClose
    private final ExecutorService threads = new TestThreads();

    @TempDir
    private Path temp;

    private ReceiveReport receive(BootstrapFrames bootstrap, Set<String> names)
            throws IOException, InterruptedException {
        try (Receiver receiver =
                new Receiver(temp.resolve("archive"), null, names, EntryDecoder.NONE, BLOCK, threads)) {
            ReceiveReport received = receiver.receive(bootstrap, OutputStream.nullOutputStream(), () -> {
                throw new IOException("no frame arrives over lanes");
            });
            receiver.commit();
            return received;
        }
    }

    @Test
    void bytesMaySplitFramesAnywhere() throws Exception {
        Path tree = RandomTree.create(temp.resolve("tree"), 7);
        Set<String> names = FileTrees.names(tree).keySet();
        byte[] stream = CapturedTransfer.stream(tree, FileTrees.names(tree), new SendOptions(Codec.GZIP, 4, BLOCK, 1));
        ByteArrayInputStream left = new ByteArrayInputStream(stream);
        Random random = new Random(1);
        ReceiveReport received = receive(() -> left.readNBytes(random.nextInt(20_000)), names);
        assertEquals(FileTrees.describe(tree), FileTrees.describe(temp.resolve("archive")));
        assertEquals(stream.length, received.wireBytes());
        assertTrue(received.rawBytes() > received.contentBytes());
    }

    @Test
    void missingEndFrameCreatesNoArchive() throws Exception {
        byte[] block = Frame.block(Codec.NONE, 0, new byte[BLOCK]);
        List<byte[]> arrays = Arrays.asList(block, null);
        AtomicInteger calls = new AtomicInteger();
        IOException failure =
                assertThrows(IOException.class, () -> receive(() -> arrays.get(calls.getAndIncrement()), Set.of("a")));
        assertFalse(failure.getMessage().isEmpty());
        assertFalse(Files.exists(temp.resolve("archive")));
    }

    @Test
    void damagedFramesAreRejected() throws Exception {
        byte[] block = Frame.block(Codec.GZIP, 0, new byte[BLOCK]);
        block[60] ^= 1;
        assertThrows(IOException.class, () -> receive(() -> block, Set.of("a")));
        byte[] number = Frame.block(Codec.GZIP, 0, new byte[BLOCK]);
        assertFails(
                "block 0 after block 0",
                () -> receive(() -> CapturedTransfer.join(List.of(number, number)), Set.of("a")));
    }

    /** Without block 0, no other block could be consumed, and all would stay in the heap. */
    @Test
    void missingBlockIsRejected() throws Exception {
        byte[] noise = FileTrees.noise(BLOCK);
        AtomicInteger calls = new AtomicInteger();
        assertFails(
                "block 1 after block -1",
                () -> receive(() -> Frame.block(Codec.NONE, calls.incrementAndGet(), noise), Set.of("a")));
        assertEquals(1, calls.get());
    }

    /** A write may contain thousands of frames, each of which needs hundreds of bytes of heap. The damage shows how far the write was parsed. */
    @Test
    void framesOfOneWriteAreParsedInSlices() throws Exception {
        List<byte[]> frames = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            frames.add(Frame.block(Codec.NONE, i, new byte[1]));
        }
        frames.add(Frame.block(Codec.NONE, 5, new byte[1]));
        byte[] write = CapturedTransfer.join(frames);
        BootstrapThenLaneFrames all = new BootstrapThenLaneFrames(() -> write, null, new ReceiveProgress(), BLOCK);
        for (int i = 0; i < 500; i++) {
            assertEquals(i, all.next(i == 0).header().sequence());
        }
        assertFails("block 5 after block 999", () -> {
            while (all.next(false) != null) {}
        });
    }
}
