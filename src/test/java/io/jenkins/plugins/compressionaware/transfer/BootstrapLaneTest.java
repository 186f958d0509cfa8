package io.jenkins.plugins.compressionaware.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.agent.BootstrapArchiveCallable;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Jvm;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The separation of frames and result, whichever way Remoting splits the writes. */
class BootstrapLaneTest {
    private final ByteArrayOutputStream frames = new ByteArrayOutputStream();
    private final AtomicLong arrived = new AtomicLong();
    private final AtomicLong wakes = new AtomicLong();
    private final BootstrapLane lane = new BootstrapLane(frames, arrived::addAndGet, wakes::incrementAndGet);

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
        for (int done = 0; done < sent.length; done += cut) {
            byte[] reused = sent.clone();
            lane.write(reused, done, Math.min(cut, sent.length - done));
            reused[done]++;
        }
        lane.write(sent, 0, 0);
        assertFalse(lane.isClosed());
        lane.close();
        assertTrue(lane.isClosed());
        assertEquals(1, wakes.get());
        assertArrayEquals(Arrays.copyOf(sent, 500), frames.toByteArray());
        assertArrayEquals(Arrays.copyOfRange(sent, 500, sent.length), lane.result());
        assertEquals(500, lane.wireBytes());
        assertEquals(500, arrived.get());
    }

    @Test
    void fewBytesContainNoFrames() throws Exception {
        lane.write(7);
        lane.close();
        assertEquals(0, frames.size());
        assertArrayEquals(new byte[] {7}, lane.result());
    }

    /** An agent that is not trusted may write nothing, or single bytes, for ever. */
    @Test
    void writesKeepNoHeap() throws Exception {
        assertEquals(List.of("done"), Jvm.run(List.of("-Xmx32m"), ManyWrites.class));
    }

    /** Runs in a separate JVM. */
    static final class ManyWrites {
        private ManyWrites() {}

        public static void main(String[] args) throws IOException {
            try (BootstrapLane lane = new BootstrapLane(OutputStream.nullOutputStream(), bytes -> {}, () -> {})) {
                for (int i = 0; i < 1 << 20; i++) {
                    lane.write(new byte[0]);
                    lane.write(7);
                }
            }
            System.out.println("done");
        }
    }
}
