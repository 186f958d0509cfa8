package io.jenkins.plugins.compressionaware.engine.send;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.codec.BlockDecoder;
import io.jenkins.plugins.compressionaware.engine.codec.BlockEncoder;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameEnvelope;
import io.jenkins.plugins.compressionaware.engine.codec.FrameHeader;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the compression of blocks into frames. */
@Timeout(30)
class BlockCompressorTest {
    private static final int BLOCK = 10_000;

    private final List<Future<EncodedFrame>> frames = new ArrayList<>();
    private final List<Integer> rawLengths = new ArrayList<>();
    private final RecordingPolicy policy =
            new RecordingPolicy(CodecLevel.UNCOMPRESSED, new CodecLevel(Codec.GZIP, 1), CodecLevel.zstd(1));
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger created = new AtomicInteger();

    private final FrameSink sink = (frame, rawLength) -> {
        frames.add(frame);
        rawLengths.add(rawLength);
    };

    private BlockCompressor compressor() {
        return compressor(this::countedEncoder);
    }

    private BlockCompressor compressor(Function<CodecLevel, BlockEncoder> newEncoder) {
        SendOptions options = new SendOptions(Codec.NONE, 0, BLOCK, 2);
        return new BlockCompressor(options, policy, sink, new TransferThreads(new ThreadCpuTimes()), newEncoder);
    }

    /** A lane encodes frames that no compressor thread has started. */
    @Test
    void laneClosesEncoderAfterItsFrame() throws Exception {
        Thread lane = Thread.currentThread();
        CountDownLatch mayEncode = new CountDownLatch(1);
        try (BlockCompressor compressor = compressor(choice -> {
            if (Thread.currentThread() != lane) {
                try {
                    mayEncode.await();
                } catch (InterruptedException e) { // the compressor is closed
                    throw new IllegalStateException(e);
                }
            }
            return countedEncoder(choice);
        })) {
            for (int i = 0; i < 3; i++) {
                compressor.submit(compressor.newBlock(), BLOCK, "file", 5);
            }
            ((RunnableFuture<EncodedFrame>) frames.get(2)).run();
            assertTrue(frames.get(2).isDone());
            assertEquals(1, created.get());
            assertEquals(0, open.get());
        } finally {
            mayEncode.countDown();
        }
    }

    private BlockEncoder countedEncoder(CodecLevel choice) {
        BlockEncoder encoder = choice.codec().newEncoder(choice.level());
        created.incrementAndGet();
        open.incrementAndGet();
        return new BlockEncoder() {
            @Override
            public int maxEncodedLength(int rawLength) {
                return encoder.maxEncodedLength(rawLength);
            }

            @Override
            public int encode(byte[] raw, int rawLength, byte[] target, int offset) {
                return encoder.encode(raw, rawLength, target, offset);
            }

            @Override
            public void close() {
                encoder.close();
                open.decrementAndGet();
            }
        };
    }

    /** After a flush, the receiver can use the bytes before the block is full. */
    @Test
    void flushStartsNewFrame() throws Exception {
        try (BlockCompressor compressor = compressor()) {
            BlockSplitter splitter = new BlockSplitter(compressor, BLOCK);
            splitter.startEntry("file", 5);
            splitter.write(new byte[5]);
            assertEquals(List.of(), rawLengths);
            splitter.flush();
            splitter.flush();
            assertEquals(List.of(5), rawLengths);
        }
    }

    @Test
    void framesContainBlocksInOrder() throws Exception {
        long start = System.nanoTime();
        try (BlockCompressor compressor = compressor()) {
            for (int i = 0; i < 20; i++) {
                byte[] block = compressor.newBlock();
                Arrays.fill(block, (byte) i);
                compressor.submit(block, BLOCK - i, "file" + i, 5);
            }
            compressor.finish();
            for (int i = 0; i < 20; i++) {
                EncodedFrame frame = frames.get(i).get();
                FrameHeader header =
                        FrameEnvelope.forFirstByte(frame.bytes()[0]).read(frame.bytes());
                assertEquals(i, header.sequence());
                byte[] raw = new byte[BLOCK];
                try (BlockDecoder decoder = header.codec().newDecoder()) {
                    FrameCodec.decode(header, decoder, Arrays.copyOf(frame.bytes(), frame.length()), raw);
                }
                byte[] expected = new byte[BLOCK - i];
                Arrays.fill(expected, (byte) i);
                assertArrayEquals(expected, Arrays.copyOf(raw, BLOCK - i));
                assertEquals(BLOCK - i, rawLengths.get(i));
                assertTrue(policy.blocks.contains("file" + i + " " + (BLOCK - i) + " true"), policy.blocks.toString());
            }
            EncodedFrame end = frames.get(20).get();
            FrameHeader header = FrameEnvelope.forFirstByte(end.bytes()[0]).read(end.bytes());
            assertTrue(header.isEndFrame());
            assertEquals(20, header.sequence());
            assertEquals(0, rawLengths.get(20));
            List<CodecUsage> usages = compressor.usages();
            long compressing = usages.stream().mapToLong(CodecUsage::nanos).sum();
            assertTrue(
                    compressing > 0 && compressing < 2 * (System.nanoTime() - start),
                    "time of two threads: " + compressing);
            assertEquals(100, compressor.readNanos());
            assertEquals(20, usages.stream().mapToLong(CodecUsage::blocks).sum());
        }
        Threads.joinTransfers();
        assertTrue(created.get() >= 3, "at least one encoder of each codec: " + created);
        assertEquals(0, open.get(), "encoders hold native memory");
    }

    @Test
    void arrayOfSentFrameIsReusedIfLongEnough() throws Exception {
        RecordingPolicy uncompressed = new RecordingPolicy(CodecLevel.UNCOMPRESSED);
        SendOptions options = new SendOptions(Codec.NONE, 0, BLOCK, 1);
        TransferThreads threads = new TransferThreads(new ThreadCpuTimes());
        try (BlockCompressor compressor = new BlockCompressor(options, uncompressed, sink, threads, 0)) {
            compressor.submit(compressor.newBlock(), BLOCK, "file", 5);
            frames.get(0).get().pool().add(new byte[BLOCK]);
            compressor.submit(compressor.newBlock(), BLOCK, "file", 5);
            EncodedFrame second = frames.get(1).get();
            assertTrue(second.bytes().length > BLOCK);
            second.recycle();
            compressor.submit(compressor.newBlock(), BLOCK, "file", 5);
            assertSame(second.bytes(), frames.get(2).get().bytes());
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "5, 2", "7, 3", "8, 4", "64, 4"})
    void threadsLeaveProcessorsToBuilds(int processors, int threads) {
        assertEquals(threads, SendOptions.threadsFor(processors));
    }
}
