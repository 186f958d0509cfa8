package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.codec.BlockDecoder;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import io.jenkins.plugins.compressionaware.engine.flow.Tasks;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * Decodes frames into blocks, a few of them ahead on other threads, and verifies each block by its checksum. Used by one thread. Frames that are
 * kept instead of their blocks also come from here, since only a frame that decodes is whole.
 */
final class DecodePipeline implements Closeable {
    /** Blocks that are decoded or decoding while the current one is read. */
    static final int READ_AHEAD_BLOCKS = 3;

    private final OrderedFrames supply;
    private final Executor executor;
    private final int maxBlock;
    private final Function<Codec, BlockDecoder> newDecoder;
    private final Queue<FutureTask<Block>> ahead = new ArrayDeque<>();
    /** Idle decoders. Guarded by itself, like the next field. */
    private final Map<Codec, Queue<BlockDecoder>> decoders = new EnumMap<>(Codec.class);

    private boolean closed;
    private final Queue<byte[]> spare = new ConcurrentLinkedQueue<>();
    private final LongAdder decodeNanos = new LongAdder();
    private final ReceiveProgress progress;
    private final long start = System.nanoTime();
    private long wireBytes;
    private long rawBytes;
    private long awaitedNanos;
    private Block current;

    /**
     * A verified block.
     *
     * @param frame as it arrived
     * @param raw   holds the block's bytes at its start
     */
    record Block(ReceivedFrame frame, byte[] raw) {
        /** Bytes of the block; 0 if it is the last. */
        int length() {
            return frame.header().rawLength();
        }

        boolean last() {
            return frame.header().isEndFrame();
        }
    }

    /** @param progress is told of each block that is read */
    DecodePipeline(OrderedFrames supply, Executor executor, int maxBlock, ReceiveProgress progress) {
        this(supply, executor, maxBlock, progress, Codec::newDecoder);
    }

    DecodePipeline(
            OrderedFrames supply,
            Executor executor,
            int maxBlock,
            ReceiveProgress progress,
            Function<Codec, BlockDecoder> newDecoder) {
        this.supply = supply;
        this.progress = progress;
        this.executor = executor;
        this.maxBlock = maxBlock;
        this.newDecoder = newDecoder;
    }

    /**
     * The next block; invalidates the one before. Must not be called after the last.
     *
     * @throws IOException if a frame is damaged, or no more will come
     */
    Block next() throws IOException, InterruptedException {
        long asked = System.nanoTime();
        if (Thread.interrupted()) {
            // nothing below need wait, and writing to the disk does not heed interrupts
            throw new InterruptedException();
        }
        if (current != null) {
            spare.add(current.raw);
            current = null;
        }
        for (ReceivedFrame frame = pollIfRoom(); frame != null; frame = pollIfRoom()) {
            decode(frame);
        }
        if (ahead.isEmpty()) {
            decode(supply.take());
        }
        try {
            current = Tasks.outcome(ahead.remove());
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            String problem = cause instanceof IOException
                    ? "Damaged transfer: " + cause.getMessage()
                    : "Cannot decode: " + cause;
            throw new IOException(problem, cause);
        }
        supply.release(current.frame);
        progress.consumed(current.frame.header());
        wireBytes += current.frame.length();
        rawBytes += current.length();
        awaitedNanos += System.nanoTime() - asked;
        return current;
    }

    private ReceivedFrame pollIfRoom() throws IOException, InterruptedException {
        return ahead.size() < READ_AHEAD_BLOCKS ? supply.poll() : null;
    }

    private void decode(ReceivedFrame frame) {
        FutureTask<Block> task = new FutureTask<>(() -> decoded(frame));
        if (!Tasks.begin(executor, task)) {
            task.run();
        }
        ahead.add(task);
    }

    private Block decoded(ReceivedFrame frame) throws IOException {
        byte[] reused = spare.poll();
        byte[] raw = reused != null ? reused : new byte[maxBlock];
        Block block = new Block(frame, raw);
        Codec codec = frame.header().codec();
        BlockDecoder decoder = decoder(codec);
        // allocates nothing from here on, so that even a full heap cannot leak the decoder's native memory
        long began = System.nanoTime();
        try {
            FrameCodec.decode(frame.header(), decoder, frame.bytes(), raw);
        } finally {
            giveBack(codec, decoder);
            decodeNanos.add(System.nanoTime() - began);
        }
        return block;
    }

    private BlockDecoder decoder(Codec codec) throws IOException {
        synchronized (decoders) {
            if (closed) {
                throw new IOException("the transfer is over");
            }
            // with room for all, so that returning a decoder allocates nothing
            BlockDecoder idle = decoders.computeIfAbsent(codec, c -> new ArrayDeque<>(READ_AHEAD_BLOCKS + 2))
                    .poll();
            if (idle != null) {
                return idle;
            }
        }
        return newDecoder.apply(codec);
    }

    private void giveBack(Codec codec, BlockDecoder decoder) {
        synchronized (decoders) {
            if (!closed) {
                decoders.get(codec).add(decoder);
                return;
            }
        }
        decoder.close();
    }

    /** A report on the blocks that were read, their landing, and the caller's measurements; see {@link ReceiveReport}. */
    ReceiveReport report(Destination landing, List<ExtractionWarning> warnings, long waitingNanos, long cpuNanos) {
        return new ReceiveReport(
                landing.entries(),
                Math.max(0, landing.contentBytes()),
                rawBytes,
                wireBytes,
                waitingNanos,
                decodeNanos(),
                System.nanoTime() - start - awaitedNanos,
                cpuNanos,
                warnings,
                landing.writers());
    }

    /** Time to decode, summed over threads, nanoseconds. */
    long decodeNanos() {
        return decodeNanos.sum();
    }

    /** Frees native memory. Blocks in work are decoded first; queued blocks are dropped. */
    @Override
    public void close() {
        synchronized (decoders) {
            closed = true;
            decoders.values().forEach(idle -> idle.forEach(BlockDecoder::close));
        }
    }
}
