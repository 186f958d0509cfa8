package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jenkins.plugins.compressionaware.agent.BootstrapArchiveCallable;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.receive.SenderLiveness;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an agent may send in a first call. */
class BootstrapFrameBufferTest {
    private static final SenderLiveness WORKS = () -> {};

    private final BootstrapFrameBuffer pieces = new BootstrapFrameBuffer(10_000);

    /** Remoting cuts pieces as it likes. */
    @ParameterizedTest
    @ValueSource(
            ints = {
                1,
                BootstrapArchiveCallable.RESULT_LENGTH - 1,
                BootstrapArchiveCallable.RESULT_LENGTH,
                BootstrapArchiveCallable.RESULT_LENGTH + 1,
                1_000
            })
    void theAnswerFollowsTheFrames(int cut) throws Exception {
        byte[] sent = FileTrees.noise(500 + BootstrapArchiveCallable.RESULT_LENGTH);
        BootstrapFrameBuffer pieces = new BootstrapFrameBuffer(200_000);
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        for (int done = 0; done < sent.length; done += cut) {
            byte[] reused = sent.clone();
            pieces.write(reused, done, Math.min(cut, sent.length - done));
            reused[done]++;
            frames.write(pieces.nextFrames(WORKS));
        }
        pieces.write(sent, 0, 0);
        pieces.close();
        pieces.close();
        assertNull(pieces.nextFrames(WORKS));
        assertArrayEquals(Arrays.copyOf(sent, 500), frames.toByteArray());
        assertArrayEquals(Arrays.copyOfRange(sent, 500, sent.length), pieces.trailer());
    }

    @Test
    void littleIsNoFrames() throws Exception {
        pieces.write(7);
        pieces.close();
        assertEquals(0, pieces.nextFrames(WORKS).length);
        assertNull(pieces.nextFrames(WORKS));
        assertArrayEquals(new byte[] {7}, pieces.trailer());
    }

    @Test
    void onlyWhoFailsIsNotWaitedFor() throws Exception {
        pieces.write(new byte[1 + BootstrapArchiveCallable.RESULT_LENGTH]);
        SenderLiveness fails = () -> {
            throw new IOException("The agent has failed");
        };
        assertEquals(1, pieces.nextFrames(fails).length, "what has arrived counts first");
        IOException failure = assertThrows(IOException.class, () -> pieces.nextFrames(fails));
        assertEquals("The agent has failed", failure.getMessage());
    }

    @Test
    void moreThanThereIsRoomForIsRefused() throws Exception {
        pieces.write(new byte[10_000 - (int) Credit.heapCost(0)]);
        assertThrows(IOException.class, () -> pieces.write(7));
    }

    /** One byte takes up much more in the heap. */
    @Test
    void smallPiecesCountAsHeap() throws Exception {
        for (long room = 10_000; room >= Credit.heapCost(1); room -= Credit.heapCost(1)) {
            pieces.write(7);
        }
        assertThrows(IOException.class, () -> pieces.write(7));
    }

    @Test
    void emptyPiecesCountToo() throws Exception {
        byte[] nothing = {};
        for (long room = 10_000; room >= Credit.heapCost(0); room -= Credit.heapCost(0)) {
            pieces.write(nothing);
        }
        assertThrows(IOException.class, () -> pieces.write(nothing));
    }

    @Test
    void nothingIsAcceptedAfterTheEnd() {
        pieces.close();
        assertThrows(IOException.class, () -> pieces.write(7));
    }
}
