package io.jenkins.plugins.compressionaware.engine.send;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.flow.TransferThreads;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.LaneHook;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.io.OutputStream;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The number of blocks in memory is bounded by the options, however much is sent and however slow the receiver is. */
@Timeout(60)
class BoundedMemoryTest {
    private static final int BLOCK = StreamLane.CHUNK;
    private static final int BLOCKS = 200;

    @AutoClose
    private final ExecutorService threads = new TestThreads();

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void senderStaysFewBlocksAheadOfSlowLane(int compressors) throws Exception {
        AtomicInteger filled = new AtomicInteger();
        AtomicInteger mostAhead = new AtomicInteger();
        AtomicLong written = new AtomicLong();
        Thread[] producer = new Thread[1];
        OutputStream lane = new LaneHook(OutputStream.nullOutputStream(), (write, length) -> {
            // the slowest possible lane: writes nothing until the producer is blocked
            while (producer[0].getState() != Thread.State.WAITING && filled.get() < BLOCKS) {
                Thread.onSpinWait();
            }
            mostAhead.accumulateAndGet(filled.get() - (int) (written.get() / BLOCK), Math::max);
            written.addAndGet(length);
            return true;
        });
        SendOptions options = new SendOptions(Codec.NONE, 0, BLOCK, compressors);
        Set<byte[]> arrays = Collections.newSetFromMap(new IdentityHashMap<>());
        TransferThreads threads = new TransferThreads(new ThreadCpuTimes());
        SendTarget target = CapturedTransfer.route(List.of(lane), CapturedTransfer.unlimitedCredit());
        try (FrameSender sender = new FrameSender(
                        target, compressors + 2, new RecordingPolicy(CodecLevel.UNCOMPRESSED), threads);
                BlockCompressor pipeline = new BlockCompressor(
                        options,
                        new FixedPolicy(new CompressionMode.Fixed(CodecLevel.UNCOMPRESSED)),
                        sender,
                        threads)) {
            sender.start();
            producer[0] = Thread.currentThread();
            for (int i = 0; i < BLOCKS; i++) {
                byte[] block = pipeline.newBlock();
                arrays.add(block);
                filled.incrementAndGet();
                pipeline.submit(block, BLOCK, "file", 0);
            }
            pipeline.finish();
            sender.finish();
        }
        // one more block than in the pipeline may be in the lane's chunk
        assertTrue(mostAhead.get() <= compressors + 5, mostAhead + " blocks ahead");
        assertTrue(mostAhead.get() >= compressors, "the lane must be slow: " + mostAhead);
        assertTrue(arrays.size() <= compressors + 4, arrays.size() + " arrays for " + BLOCKS + " blocks");
    }
}
