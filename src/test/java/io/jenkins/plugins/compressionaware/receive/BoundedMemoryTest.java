package io.jenkins.plugins.compressionaware.receive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.testkit.Frame;
import io.jenkins.plugins.compressionaware.testkit.Threads;
import java.io.OutputStream;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The blocks that exist at a time are bounded by the options, not by what is sent or how slow the other end is. */
@Timeout(60)
class BoundedMemoryTest {
    private static final int BLOCK = 1024;
    private static final int BLOCKS = 200;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        Threads.end(threads);
    }

    @Test
    void receiverDecodesOnlyAFewBlocksAhead() throws Exception {
        FrameQueue queue = new FrameQueue();
        Random random = new Random(1);
        LaneReceiver lane = new LaneReceiver(queue, 1024);
        for (int i = 0; i < BLOCKS; i++) {
            byte[] raw = new byte[1024];
            random.nextBytes(raw);
            lane.write(Frame.block(Codec.ZSTD, i, raw));
        }
        lane.write(Frame.end(Codec.ZSTD, BLOCKS));
        AtomicInteger decoded = new AtomicInteger();
        try (BlockInputStream blocks = new BlockInputStream(
                queue,
                () -> {},
                new CreditGrants(OutputStream.nullOutputStream()),
                task -> {
                    decoded.incrementAndGet();
                    task.run();
                },
                1024)) {
            byte[] raw = new byte[1024];
            for (int read = 0; read < BLOCKS; read++) {
                assertEquals(1024, blocks.read(raw, 0, raw.length));
                assertTrue(decoded.get() <= read + 4, decoded + " blocks decoded, " + read + " read");
            }
            assertEquals(-1, blocks.read(raw, 0, raw.length));
        }
        assertEquals(BLOCKS + 1, decoded.get());
    }

    @Test
    void executorThatRefusesDoesNotHangTheReceiver() throws Exception {
        FrameQueue queue = new FrameQueue();
        new LaneReceiver(queue, 1024).write(Frame.block(Codec.NONE, 0, new byte[10]));
        Future<?> reading = threads.submit(() -> {
            try (BlockInputStream blocks = new BlockInputStream(
                    queue,
                    () -> {},
                    new CreditGrants(OutputStream.nullOutputStream()),
                    task -> {
                        throw new RejectedExecutionException();
                    },
                    1024)) {
                blocks.read();
            }
            return null;
        });
        assertThrows(ExecutionException.class, reading::get);
    }
}
