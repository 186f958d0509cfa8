package io.jenkins.plugins.compressionaware.engine.send;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.flow.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.flow.TransferThreads;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.LaneHook;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.OutputStream;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The blocks that exist at a time are bounded by the options, not by what is sent or how slow the other end is. */
@Timeout(60)
class BoundedMemoryTest {
    private static final int BLOCK = StreamLane.CHUNK;
    private static final int BLOCKS = 200;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        Threads.end(threads);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void senderReadsOnlyAFewBlocksAheadOfASlowLane(int compressors) throws Exception {
        AtomicInteger filled = new AtomicInteger();
        AtomicInteger mostAhead = new AtomicInteger();
        AtomicLong written = new AtomicLong();
        Thread[] producer = new Thread[1];
        OutputStream lane = new LaneHook(OutputStream.nullOutputStream(), (write, length) -> {
            // the lane is as slow as can be: it takes nothing until the other side can do nothing more
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
        SendTarget route = CapturedTransfer.route(List.of(lane), CapturedTransfer.unlimitedCredit());
        try (FrameSender sender =
                        new FrameSender(route, compressors + 2, new RecordingPolicy(CodecLevel.UNCOMPRESSED), threads);
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
        // one more than in the pipeline may be in the lane's own chunk
        assertTrue(mostAhead.get() <= compressors + 5, mostAhead + " blocks ahead");
        assertTrue(mostAhead.get() >= compressors, "the lane was slow: " + mostAhead);
        assertTrue(arrays.size() <= compressors + 4, arrays.size() + " arrays for " + BLOCKS + " blocks");
    }
}
