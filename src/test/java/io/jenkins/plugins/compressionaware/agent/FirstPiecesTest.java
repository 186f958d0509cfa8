package io.jenkins.plugins.compressionaware.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.jenkins.plugins.compressionaware.receive.SenderWatch;
import io.jenkins.plugins.compressionaware.transfer.Credit;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What an agent may send ahead of its answer. */
class FirstPiecesTest {
    private static final SenderWatch WORKS = () -> {};

    private final FirstPieces pieces = new FirstPieces(10_000);

    @Test
    void piecesComeInOrderAndThenTheEnd() throws Exception {
        byte[] reused = {1, 2, 3, 4};
        pieces.write(reused, 1, 2);
        reused[1] = 9;
        pieces.write(7);
        pieces.write(reused, 0, 0);
        pieces.close();
        pieces.close();
        assertArrayEquals(new byte[] {2, 3}, pieces.next(WORKS));
        assertArrayEquals(new byte[] {7}, pieces.next(WORKS));
        assertNull(pieces.next(WORKS));
    }

    @Test
    void onlyWhoFailsIsNotWaitedFor() throws Exception {
        pieces.write(7);
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
