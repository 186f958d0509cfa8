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
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The lane of bootstrap calls, whose frames the engine continues. */
@Timeout(60)
class SequentialLaneTest {
    private static final int BLOCK = 64 * 1024;

    @AutoClose
    private final ExecutorService threads = new TestThreads();

    @TempDir
    private Path temp;

    private Receiver receiver(Set<String> names) throws IOException, InterruptedException {
        return new Receiver(temp.resolve("archive"), null, names, EntryDecoder.NONE, BLOCK, threads);
    }

    private ReceiveReport receive(byte[] bytes, Set<String> names) throws IOException, InterruptedException {
        try (Receiver receiver = receiver(names)) {
            receiver.start();
            Random random = new Random(1);
            try (OutputStream lane = receiver.inbox().newSequentialLane()) {
                for (int done = 0, n; done < bytes.length; done += n) {
                    n = Math.min(bytes.length - done, 1 + random.nextInt(20_000));
                    lane.write(bytes, done, n);
                }
            } catch (IOException e) {
                // the receiver throws the same exception
            }
            ReceiveReport received = receiver.awaitEnd(() -> {
                throw new IOException("nothing else is sent");
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
        ReceiveReport received = receive(stream, names);
        assertEquals(FileTrees.describe(tree), FileTrees.describe(temp.resolve("archive")));
        assertEquals(stream.length, received.figures().wireBytes());
        assertTrue(received.figures().rawBytes() > received.figures().contentBytes());
    }

    @Test
    void missingEndFrameCreatesNoArchive() {
        byte[] block = Frame.block(Codec.NONE, 0, new byte[BLOCK]);
        assertFails("nothing else is sent", () -> receive(block, Set.of("a")));
        assertFalse(Files.exists(temp.resolve("archive")));
    }

    @Test
    void damagedFramesAreRejected() {
        byte[] block = Frame.block(Codec.GZIP, 0, new byte[BLOCK]);
        block[60] ^= 1;
        assertThrows(IOException.class, () -> receive(block, Set.of("a")));
        byte[] number = Frame.block(Codec.GZIP, 0, new byte[BLOCK]);
        assertFails(
                "Damaged transfer: block 0 after block 0",
                () -> receive(CapturedTransfer.join(List.of(number, number)), Set.of("a")));
    }

    /** Frames after a missing one cannot be consumed, so they would fill the heap. */
    @Test
    void framesWithGapAreRejected() throws Exception {
        byte[] first = Frame.block(Codec.NONE, 0, new byte[BLOCK]);
        byte[] third = Frame.block(Codec.NONE, 2, new byte[BLOCK]);
        assertFails(
                "Damaged transfer: block 2 after block 0",
                () -> receive(CapturedTransfer.join(List.of(first, third)), Set.of("a")));
        try (Receiver receiver = receiver(Set.of("a"))) {
            receiver.inbox().newSequentialLane().write(first);
            OutputStream next = receiver.inbox().newSequentialLane();
            assertFails("block 0 after block 0", () -> next.write(first));
        }
    }

    /** The rest of the frame never arrives, because the next call has another lane. */
    @Test
    void callThatEndsInFrameFailsTransfer() throws Exception {
        byte[] block = Frame.block(Codec.NONE, 0, new byte[BLOCK]);
        try (Receiver receiver = receiver(Set.of("a"))) {
            receiver.start();
            OutputStream lane = receiver.inbox().newSequentialLane();
            lane.write(block);
            receiver.awaitEmpty();
            lane.write(Frame.block(Codec.NONE, 1, new byte[BLOCK]), 0, block.length - 1);
            assertFails("Damaged transfer: a frame that is longer than its call", receiver::awaitEmpty);
        }
    }

    @Test
    void creditLimitsFramesThatAreNotConsumed() throws Exception {
        try (Receiver receiver = receiver(Set.of("a"))) {
            OutputStream lane = receiver.inbox().newSequentialLane();
            byte[] noise = FileTrees.noise(BLOCK);
            long credit = receiver.inbox().credit();
            IOException failure = assertThrows(IOException.class, () -> {
                for (int i = 0; i <= credit / BLOCK; i++) {
                    lane.write(Frame.block(Codec.NONE, i, noise));
                }
            });
            assertEquals("The sender does not wait until its bytes are consumed", failure.getMessage());
            assertTrue(receiver.inbox().heap() <= credit);
        }
    }
}
