package io.jenkins.plugins.compressionaware.engine.receive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.codec.BlockDecoder;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.CorruptFrameException;
import io.jenkins.plugins.compressionaware.engine.codec.FrameEnvelope;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.FileTrees;
import io.jenkins.plugins.compressionaware.testing.Frame;
import io.jenkins.plugins.compressionaware.testing.RefusingExecutor;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class DecodePipelineTest {
    private static final int BLOCK = 1024;
    private static final int BLOCKS = 200;

    @AutoClose
    private final ExecutorService threads = new TestThreads();

    /** Frames that have all arrived. */
    private static final class AvailableFrames implements OrderedFrames {
        private final Queue<byte[]> frames;
        private int consumed;

        AvailableFrames(List<byte[]> frames) {
            this.frames = new ArrayDeque<>(frames);
        }

        @Override
        public ReceivedFrame next(boolean mayWait) throws IOException {
            byte[] frame = frames.poll();
            return frame == null ? null : received(frame);
        }

        @Override
        public void release(ReceivedFrame frame) {
            assertEquals(consumed++, frame.header().sequence());
        }
    }

    @ParameterizedTest
    @EnumSource(Codec.class)
    void blocksCarryTheirFramesUnchanged(Codec codec) throws Exception {
        List<byte[]> frames = frames(codec);
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        ByteArrayOutputStream raw = new ByteArrayOutputStream();
        AvailableFrames supply = new AvailableFrames(frames);
        try (DecodePipeline blocks = blocks(supply, threads)) {
            DecodePipeline.Block block;
            do {
                block = blocks.next();
                kept.writeBytes(block.frame().bytes());
                raw.write(block.raw(), 0, block.length());
            } while (!block.last());
        }
        assertArrayEquals(CapturedTransfer.join(frames), kept.toByteArray());
        assertArrayEquals(raw(), raw.toByteArray());
        assertEquals(BLOCKS + 1, supply.consumed);
    }

    @Test
    void damagedFrameIsNeitherReturnedNorReleased() throws Exception {
        List<byte[]> frames = frames(Codec.ZSTD);
        byte[] damaged = frames.get(5);
        damaged[damaged.length - 1]++;
        AvailableFrames supply = new AvailableFrames(frames);
        try (DecodePipeline blocks = blocks(supply, threads)) {
            for (int i = 0; i < 5; i++) {
                blocks.next();
            }
            IOException failure = assertThrows(IOException.class, blocks::next);
            assertTrue(failure.getMessage().startsWith("Damaged transfer: "), failure.getMessage());
        }
        assertEquals(5, supply.consumed);
    }

    @Test
    void readAheadIsLimitedAndReusesDecodersAndArrays() throws Exception {
        AtomicInteger decoded = new AtomicInteger();
        AtomicInteger decoders = new AtomicInteger();
        Set<byte[]> arrays = Collections.newSetFromMap(new IdentityHashMap<>());
        try (DecodePipeline blocks = new DecodePipeline(
                new AvailableFrames(frames(Codec.ZSTD)),
                task -> {
                    decoded.incrementAndGet();
                    task.run();
                },
                BLOCK,
                new ReceiveProgress(),
                codec -> {
                    decoders.incrementAndGet();
                    return codec.newDecoder();
                })) {
            for (int read = 0; read < BLOCKS; read++) {
                DecodePipeline.Block block = blocks.next();
                arrays.add(block.raw());
                assertEquals(BLOCK, block.length());
                assertTrue(
                        decoded.get() <= read + DecodePipeline.READ_AHEAD_BLOCKS,
                        decoded + " blocks decoded, " + read + " read");
            }
            assertTrue(blocks.next().last());
        }
        assertEquals(BLOCKS + 1, decoded.get());
        assertEquals(1, decoders.get(), "reused, because one thread decodes");
        assertEquals(DecodePipeline.READ_AHEAD_BLOCKS, arrays.size(), "reused");
    }

    @Test
    void readerDecodesFrameOfRejectedTask() throws Exception {
        try (DecodePipeline blocks = blocks(RefusingExecutor::refuse)) {
            assertEquals(BLOCK, blocks.next().length());
        }
    }

    /** Code around a task may fail before the task starts. */
    @Test
    void readerDecodesFrameOfLostTask() throws Exception {
        AtomicInteger tasks = new AtomicInteger();
        try (DecodePipeline blocks = blocks(task -> {
            if (tasks.incrementAndGet() != 2) {
                task.run();
            }
        })) {
            assertEquals(0, blocks.next().frame().header().sequence());
            assertEquals(1, blocks.next().frame().header().sequence());
        }
    }

    @Test
    void closeDoesNotWaitForLostTask() throws Exception {
        List<Runnable> lost = new ArrayList<>();
        DecodePipeline blocks = blocks(task -> {
            if (lost.isEmpty()) {
                task.run();
            }
            lost.add(task);
        });
        blocks.next();
        blocks.close();
        lost.forEach(Runnable::run); // must not use a closed decoder
    }

    /** No allocation may fail while a decoder is in use. */
    @Test
    void fullHeapLeavesNoDecoderOpen() throws Exception {
        Decoders decoders = new Decoders();
        decoders.goOn.countDown();
        try (DecodePipeline blocks = new DecodePipeline(
                new AvailableFrames(frames(Codec.NONE)),
                Runnable::run,
                Integer.MAX_VALUE, // an array longer than a JVM can allocate
                new ReceiveProgress(),
                codec -> decoders.add())) {
            IOException failure = assertThrows(IOException.class, blocks::next);
            assertTrue(failure.getCause() instanceof OutOfMemoryError, failure.toString());
        }
        assertEquals(List.of(), decoders.open);
    }

    @Test
    void decodeTimeIsMeasured() throws Exception {
        long pause = 3_000_000;
        BlockDecoder busy = (body, offset, length, raw, rawLength) -> {
            long start = System.nanoTime();
            while (System.nanoTime() - start < pause) {
                Thread.onSpinWait();
            }
        };
        byte[] frame = Frame.announcing(Codec.NONE, 0, 1);
        List<byte[]> frames = List.of(Arrays.copyOf(frame, frame.length + 1), Arrays.copyOf(frame, frame.length + 1));
        AvailableFrames supply = new AvailableFrames(frames);
        long start = System.nanoTime();
        try (DecodePipeline blocks =
                new DecodePipeline(supply, Runnable::run, BLOCK, new ReceiveProgress(), codec -> busy)) {
            blocks.next();
            assertTrue(blocks.decodeNanos() >= 2 * pause, blocks.decodeNanos() + " ns");
            assertTrue(blocks.decodeNanos() <= System.nanoTime() - start, "at most the elapsed time");
        }
    }

    @Test
    void interruptLeavesNoDecoderOpen() throws Exception {
        Decoders decoders = new Decoders();
        CountDownLatch closing = new CountDownLatch(1);
        Thread reader = new Thread(() -> {
            try (DecodePipeline blocks = new DecodePipeline(
                    new AvailableFrames(frames(Codec.NONE)),
                    threads,
                    BLOCK,
                    new ReceiveProgress(),
                    codec -> decoders.add())) {
                try {
                    assertThrows(InterruptedException.class, blocks::next);
                } finally {
                    closing.countDown();
                }
            }
        });
        reader.start();
        decoders.working.await();
        reader.interrupt();
        closing.await();
        while (reader.getState() != Thread.State.WAITING && reader.getState() != Thread.State.TERMINATED) {
            Thread.onSpinWait();
        }
        decoders.goOn.countDown();
        reader.join();
        Threads.end(threads);
        assertEquals(List.of(), decoders.open);
    }

    /** Keeps track of open decoders. The decoder of the first frame blocks until {@link #goOn}. */
    private static final class Decoders {
        private final CountDownLatch working = new CountDownLatch(DecodePipeline.READ_AHEAD_BLOCKS);
        private final CountDownLatch goOn = new CountDownLatch(1);
        private final List<BlockDecoder> open = new ArrayList<>();

        private synchronized BlockDecoder add() {
            BlockDecoder decoder = new BlockDecoder() {
                @Override
                public void decode(byte[] body, int offset, int length, byte[] raw, int rawLength)
                        throws CorruptFrameException {
                    working.countDown();
                    try {
                        (received(body).header().sequence() == 0 ? goOn : working).await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    throw new CorruptFrameException("not decoded");
                }

                @Override
                public void close() {
                    remove(this);
                }
            };
            open.add(decoder);
            return decoder;
        }

        private synchronized void remove(BlockDecoder decoder) {
            open.remove(decoder);
        }
    }

    private static DecodePipeline blocks(Executor executor) {
        return blocks(new AvailableFrames(frames(Codec.NONE)), executor);
    }

    private static DecodePipeline blocks(OrderedFrames frames, Executor executor) {
        return new DecodePipeline(frames, executor, BLOCK, new ReceiveProgress());
    }

    private static ReceivedFrame received(byte[] frame) throws CorruptFrameException {
        return new ReceivedFrame(FrameEnvelope.forFirstByte(frame[0]).read(frame), frame);
    }

    private static byte[] raw() {
        return FileTrees.noise(BLOCKS * BLOCK);
    }

    private static List<byte[]> frames(Codec codec) {
        byte[] raw = raw();
        List<byte[]> frames = new ArrayList<>();
        for (int i = 0; i < BLOCKS; i++) {
            frames.add(Frame.block(codec, i, Arrays.copyOfRange(raw, i * BLOCK, (i + 1) * BLOCK)));
        }
        frames.add(Frame.end(codec, BLOCKS));
        return frames;
    }
}
