package io.jenkins.plugins.compressionaware.engine.receive;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.jenkins.plugins.compressionaware.engine.codec.BlockDecoder;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * Decodes frames into blocks and verifies each block's checksum, a few blocks ahead of the reader on other threads. Each block carries its frame, because a
 * frame file stores frames, but only verified frames. Not thread-safe.
 */
final class DecodePipeline implements Closeable {
    /** Blocks that are decoded ahead while the current block is read. */
    static final int READ_AHEAD_BLOCKS = 3;

    private final OrderedFrames supply;
    private final Executor executor;
    private final int maxBlock;
    private final Function<Codec, BlockDecoder> newDecoder;
    private final Queue<FutureTask<Block>> ahead = new ArrayDeque<>();

    /** Idle decoders. */
    @GuardedBy("decoders")
    private final Map<Codec, Queue<BlockDecoder>> decoders = new EnumMap<>(Codec.class);

    @GuardedBy("decoders")
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
     * @param frame the frame as received
     * @param raw   starts with the block's bytes
     */
    record Block(ReceivedFrame frame, byte[] raw) {
        /** Returns the length of the block, bytes; 0 for the end frame. */
        int length() {
            return frame.header().rawLength();
        }

        boolean last() {
            return frame.header().isEndFrame();
        }
    }

    /** @param progress updated for each block that is read */
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
     * Waits for the next block and returns it. The previous block becomes invalid. Must not be called after the end frame.
     *
     * @throws IOException if a frame is damaged, or if no further frame can arrive
     */
    Block next() throws IOException, InterruptedException {
        long requested = System.nanoTime();
        try {
            return awaitNext();
        } finally { // even if the sender is lost meanwhile
            awaitedNanos += System.nanoTime() - requested;
        }
    }

    private Block awaitNext() throws IOException, InterruptedException {
        if (current != null) {
            spare.add(current.raw);
            current = null;
        }
        for (ReceivedFrame frame = pollIfRoom(); frame != null; frame = pollIfRoom()) {
            decode(frame);
        }
        if (ahead.isEmpty()) {
            ReceivedFrame frame = supply.next(true);
            if (frame == null) {
                throw new IOException("the file ends in the middle of a block");
            }
            decode(frame);
        }
        try {
            current = Tasks.awaitOrRun(ahead.remove());
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
        return current;
    }

    private ReceivedFrame pollIfRoom() throws IOException, InterruptedException {
        return ahead.size() < READ_AHEAD_BLOCKS ? supply.next(false) : null;
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
        // no allocation below: a full heap must not leak the decoder's native memory
        long began = System.nanoTime();
        try {
            FrameCodec.decode(frame.header(), decoder, frame.bytes(), raw);
        } finally {
            returnDecoder(codec, decoder);
            decodeNanos.add(System.nanoTime() - began);
        }
        return block;
    }

    private BlockDecoder decoder(Codec codec) throws IOException {
        synchronized (decoders) {
            if (closed) {
                throw new IOException("the transfer is over");
            }
            // large enough for all decoders, so that returning one allocates nothing
            BlockDecoder idle = decoders.computeIfAbsent(codec, c -> new ArrayDeque<>(READ_AHEAD_BLOCKS + 2))
                    .poll();
            if (idle != null) {
                return idle;
            }
        }
        return newDecoder.apply(codec);
    }

    private void returnDecoder(Codec codec, BlockDecoder decoder) {
        synchronized (decoders) {
            if (!closed) {
                decoders.get(codec).add(decoder);
                return;
            }
        }
        decoder.close();
    }

    /** Counts time that the reader has waited for other bytes than blocks. */
    void addAwaited(long nanos) {
        awaitedNanos += nanos;
    }

    /** Returns the figures of all blocks, with counts and times that others know. */
    Figures figures(int entries, long contentBytes, long waitingNanos, long cpuNanos) {
        long unpackNanos = System.nanoTime() - start - awaitedNanos;
        return new Figures(
                entries, contentBytes, rawBytes, wireBytes, 0, waitingNanos, decodeNanos(), unpackNanos, cpuNanos);
    }

    /** Returns the time spent decoding, summed over threads, nanoseconds. */
    long decodeNanos() {
        return decodeNanos.sum();
    }

    /** Frees native memory without waiting. Running decoders are freed when they finish; queued frames are not decoded. */
    @Override
    public void close() {
        synchronized (decoders) {
            closed = true;
            decoders.values().forEach(idle -> idle.forEach(BlockDecoder::close));
        }
    }
}
