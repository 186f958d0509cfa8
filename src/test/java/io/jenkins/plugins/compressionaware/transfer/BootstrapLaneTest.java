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

/** Order and limits of the data that an agent sends in a bootstrap call. */
class BootstrapFrameBufferTest {
    private static final SenderLiveness ALIVE = () -> {};

    private final BootstrapFrameBuffer buffer = new BootstrapFrameBuffer(10_000);

    /** Remoting can split writes anywhere. */
    @ParameterizedTest
    @ValueSource(
            ints = {
                1,
                BootstrapArchiveCallable.RESULT_LENGTH - 1,
                BootstrapArchiveCallable.RESULT_LENGTH,
                BootstrapArchiveCallable.RESULT_LENGTH + 1,
                1_000
            })
    void resultFollowsFrames(int cut) throws Exception {
        byte[] sent = FileTrees.noise(500 + BootstrapArchiveCallable.RESULT_LENGTH);
        BootstrapFrameBuffer buffer = new BootstrapFrameBuffer(200_000);
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        for (int done = 0; done < sent.length; done += cut) {
            byte[] reused = sent.clone();
            buffer.write(reused, done, Math.min(cut, sent.length - done));
            reused[done]++;
            frames.write(buffer.nextFrames(ALIVE));
        }
        buffer.write(sent, 0, 0);
        buffer.close();
        buffer.close();
        assertNull(buffer.nextFrames(ALIVE));
        assertArrayEquals(Arrays.copyOf(sent, 500), frames.toByteArray());
        assertArrayEquals(Arrays.copyOfRange(sent, 500, sent.length), buffer.trailer());
    }

    @Test
    void fewBytesContainNoFrames() throws Exception {
        buffer.write(7);
        buffer.close();
        assertEquals(0, buffer.nextFrames(ALIVE).length);
        assertNull(buffer.nextFrames(ALIVE));
        assertArrayEquals(new byte[] {7}, buffer.trailer());
    }

    @Test
    void failedSenderEndsWait() throws Exception {
        buffer.write(new byte[1 + BootstrapArchiveCallable.RESULT_LENGTH]);
        SenderLiveness fails = () -> {
            throw new IOException("The agent has failed");
        };
        assertEquals(1, buffer.nextFrames(fails).length, "received frames are returned first");
        IOException failure = assertThrows(IOException.class, () -> buffer.nextFrames(fails));
        assertEquals("The agent has failed", failure.getMessage());
    }

    @Test
    void bytesBeyondHeapLimitAreRejected() throws Exception {
        buffer.write(new byte[10_000 - (int) Credit.heapCost(0)]);
        assertThrows(IOException.class, () -> buffer.write(7));
    }

    /** One byte occupies much more heap. */
    @Test
    void smallWritesCountWithHeapOverhead() throws Exception {
        for (long heap = 10_000; heap >= Credit.heapCost(1); heap -= Credit.heapCost(1)) {
            buffer.write(7);
        }
        assertThrows(IOException.class, () -> buffer.write(7));
    }

    @Test
    void emptyWritesCountAsHeap() throws Exception {
        byte[] nothing = {};
        for (long heap = 10_000; heap >= Credit.heapCost(0); heap -= Credit.heapCost(0)) {
            buffer.write(nothing);
        }
        assertThrows(IOException.class, () -> buffer.write(nothing));
    }

    @Test
    void writeAfterCloseIsRejected() {
        buffer.close();
        assertThrows(IOException.class, () -> buffer.write(7));
    }
}
