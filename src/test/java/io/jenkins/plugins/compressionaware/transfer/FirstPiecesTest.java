package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jenkins.plugins.compressionaware.engine.receive.SenderWatch;
import io.jenkins.plugins.compressionaware.agent.FirstFiles;
import io.jenkins.plugins.compressionaware.testing.Trees;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an agent may send in a first call. */
class FirstPiecesTest {
    private static final SenderWatch WORKS = () -> {};

    private final FirstPieces pieces = new FirstPieces(10_000);

    /** Remoting cuts pieces as it likes. */
    @ParameterizedTest
    @ValueSource(ints = {1, FirstFiles.ANSWER - 1, FirstFiles.ANSWER, FirstFiles.ANSWER + 1, 1_000})
    void theAnswerFollowsTheFrames(int cut) throws Exception {
        byte[] sent = Trees.noise(500 + FirstFiles.ANSWER);
        FirstPieces pieces = new FirstPieces(200_000);
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        for (int done = 0; done < sent.length; done += cut) {
            byte[] reused = sent.clone();
            pieces.write(reused, done, Math.min(cut, sent.length - done));
            reused[done]++;
            frames.write(pieces.next(WORKS));
        }
        pieces.write(sent, 0, 0);
        pieces.close();
        pieces.close();
        assertNull(pieces.next(WORKS));
        assertArrayEquals(Arrays.copyOf(sent, 500), frames.toByteArray());
        assertArrayEquals(Arrays.copyOfRange(sent, 500, sent.length), pieces.rest());
    }

    @Test
    void littleIsNoFrames() throws Exception {
        pieces.write(7);
        pieces.close();
        assertEquals(0, pieces.next(WORKS).length);
        assertNull(pieces.next(WORKS));
        assertArrayEquals(new byte[] {7}, pieces.rest());
    }

    @Test
    void onlyWhoFailsIsNotWaitedFor() throws Exception {
        pieces.write(new byte[1 + FirstFiles.ANSWER]);
        SenderWatch fails = () -> {
            throw new IOException("The agent has failed");
        };
        assertEquals(1, pieces.next(fails).length, "what has arrived counts first");
        IOException failure = assertThrows(IOException.class, () -> pieces.next(fails));
        assertEquals("The agent has failed", failure.getMessage());
    }

    @Test
    void moreThanThereIsRoomForIsRefused() throws Exception {
        pieces.write(new byte[10_000 - (int) Credit.heapOf(0)]);
        assertThrows(IOException.class, () -> pieces.write(7));
    }

    /** One byte takes up much more in the heap. */
    @Test
    void smallPiecesCountAsHeap() throws Exception {
        for (long room = 10_000; room >= Credit.heapOf(1); room -= Credit.heapOf(1)) {
            pieces.write(7);
        }
        assertThrows(IOException.class, () -> pieces.write(7));
    }

    @Test
    void emptyPiecesCountToo() throws Exception {
        byte[] nothing = {};
        for (long room = 10_000; room >= Credit.heapOf(0); room -= Credit.heapOf(0)) {
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
