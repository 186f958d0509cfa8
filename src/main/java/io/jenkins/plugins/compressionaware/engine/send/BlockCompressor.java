package io.jenkins.plugins.compressionaware.engine.send;

import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecUsage;
import io.jenkins.plugins.compressionaware.engine.codec.BlockEncoder;
import io.jenkins.plugins.compressionaware.engine.codec.Checksum;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.run.ThreadCpuTimes;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Compresses blocks into frames on a few threads while the caller fills the next block. The sink bounds memory: {@link FrameSink#put} blocks while
 * the sink holds its maximum number of frames, finished or not. One thread submits blocks.
 */
final class BlockCompressor implements Closeable {
    /**
     * Bytes from which CPU time is measured. The first measurement loads a hundred classes into the JVM, which takes 20 ms, so only a long transfer
     * can afford it.
     */
    private static final int CPU_MEASUREMENT_MIN_BYTES = 64 << 20;

    private final int blockSize;
    private final Checksum checksum;
    private final CompressionPolicy policy;
    private final FrameSink sink;
    private final Function<CodecLevel, BlockEncoder> newEncoder;
    private final ThreadLocal<Map<CodecLevel, BlockEncoder>> encoders = new ThreadLocal<>();
    private final ExecutorService compressors;
    private final Queue<byte[]> reusableBlocks = new ConcurrentLinkedQueue<>();
    private final Queue<byte[]> reusableFrames = new ConcurrentLinkedQueue<>();
    private final TransferThreads threads;
    private final long measuredFrom;
    private final Map<CodecLevel, CodecUsage> usages = new ConcurrentHashMap<>();
    private long blocks;
    private long frames;
    private long readNanos;

    /** @param firstFrame number of the first frame */
    BlockCompressor(
            SendOptions options, CompressionPolicy policy, FrameSink sink, TransferThreads threads, long firstFrame) {
        this(options, policy, sink, threads, choice -> choice.codec().newEncoder(choice.level()));
        frames = firstFrame;
    }

    BlockCompressor(
            SendOptions options,
            CompressionPolicy policy,
            FrameSink sink,
            TransferThreads threads,
            Function<CodecLevel, BlockEncoder> newEncoder) {
        blockSize = options.blockSize();
        checksum = options.checksum().available();
        this.policy = policy;
        this.sink = sink;
        this.newEncoder = newEncoder;
        this.threads = threads;
        measuredFrom = CPU_MEASUREMENT_MIN_BYTES / blockSize;
        compressors = Executors.newFixedThreadPool(
                options.threads(),
                loop -> threads.create(
                        "compress",
                        () -> closingEncoders(() -> {
                            loop.run();
                            return null;
                        })));
    }

    /**
     * Runs work, then closes the thread's encoders, because they may hold native memory. A compressor thread keeps its encoders until it ends; a lane
     * that encodes a frame itself keeps them for that frame only.
     */
    private <T> T closingEncoders(Supplier<T> work) {
        if (encoders.get() != null) {
            return work.get();
        }
        encoders.set(new HashMap<>());
        try {
            return work.get();
        } finally {
            for (BlockEncoder encoder : encoders.get().values()) {
                encoder.close();
            }
            encoders.remove();
        }
    }

    /** Returns an array of the block size for the next block. */
    byte[] newBlock() {
        byte[] reusable = reusableBlocks.poll();
        return reusable != null ? reusable : new byte[blockSize];
    }

    /**
     * Submits a block; waits while the sink is full.
     *
     * @param fileName  name of the file in which the block begins
     * @param fillNanos time to fill the block, nanoseconds
     * @throws IOException if the sink accepts no more frames
     */
    void submit(byte[] block, int length, String fileName, long fillNanos) throws IOException, InterruptedException {
        readNanos += fillNanos;
        if (blocks++ == measuredFrom) {
            threads.startCpuMeasurement();
        }
        long sequence = frames++;
        put(() -> encode(sequence, block, length, fileName), length);
    }

    private void put(Supplier<EncodedFrame> frame, int length) throws IOException, InterruptedException {
        sink.put(compressors.submit(() -> closingEncoders(frame)), length);
    }

    private EncodedFrame encode(long sequence, byte[] block, int length, String fileName) {
        CompressionPolicy.BlockPlan plan = policy.planBlock(block, length, fileName);
        CodecLevel choice = plan.choice();
        BlockEncoder encoder = encoder(choice);
        int longest = FrameCodec.maxFrameLength(choice.codec(), encoder, blockSize);
        byte[] reusable = reusableFrames.poll();
        byte[] frame = reusable != null && reusable.length >= longest ? reusable : new byte[longest];
        long cpu = ThreadCpuTimes.current();
        long start = System.nanoTime();
        int size = FrameCodec.encode(choice.codec(), encoder, checksum, sequence, block, length, frame);
        long nanos = System.nanoTime() - start;
        reusableBlocks.add(block);
        plan.outcome().done(size, nanos, cpu < 0 ? -1 : ThreadCpuTimes.current() - cpu);
        usages.merge(choice, new CodecUsage(choice, 1, length, size, nanos), CodecUsage::plus);
        return new EncodedFrame(frame, size, reusableFrames);
    }

    private BlockEncoder encoder(CodecLevel choice) {
        return encoders.get().computeIfAbsent(choice, newEncoder);
    }

    /** Submits the end frame. */
    void finish() throws IOException, InterruptedException {
        put(
                () -> {
                    CodecLevel choice = policy.endFrameChoice();
                    byte[] end = FrameCodec.endFrame(choice.codec(), encoder(choice), checksum, frames);
                    return new EncodedFrame(end, end.length, null);
                },
                0);
    }

    /** Returns blocks and bytes of each codec and level, most bytes first. */
    ArrayList<CodecUsage> usages() {
        return CodecUsage.sortedByRawBytes(usages);
    }

    /** Returns the time to fill the blocks, nanoseconds. Called by the thread that submits them. */
    long readNanos() {
        return readNanos;
    }

    @Override
    public void close() {
        compressors.shutdownNow();
    }
}
