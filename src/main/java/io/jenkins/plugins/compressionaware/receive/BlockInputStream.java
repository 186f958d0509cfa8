package io.jenkins.plugins.compressionaware.receive;

import io.jenkins.plugins.compressionaware.codec.BlockDecoder;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.codec.Frames;
import io.jenkins.plugins.compressionaware.transfer.Credit;
import io.jenkins.plugins.compressionaware.transfer.ThreadTimes;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.LongAdder;

/** The verified raw bytes of the frames in a queue. Decodes a few blocks ahead on other threads. Read by one thread. */
final class BlockInputStream extends InputStream {
    /** Blocks that are decoded or decoding while the current one is read. */
    private static final int AHEAD = 3;

    private final FrameQueue queue;
    private final SenderWatch watch;
    private final CreditGrants grants;
    private final Executor executor;
    private final int maxBlock;
    private final Queue<FutureTask<Block>> ahead = new ArrayDeque<>();
    private final Map<Codec, Queue<BlockDecoder>> decoders = new ConcurrentHashMap<>();
    private final Queue<byte[]> spare = new ConcurrentLinkedQueue<>();
    private Block current;
    private int position;
    private long wireBytes;
    private long rawBytes;
    private long started;
    private long waitingNanos;
    private final LongAdder decodeNanos = new LongAdder();
    private final LongAdder decodeCpuNanos = new LongAdder();

    private record Block(ArrivedFrame frame, byte[] raw) {
        int length() {
            return frame.header().rawLength();
        }

        boolean last() {
            return frame.header().last();
        }
    }

    BlockInputStream(FrameQueue queue, SenderWatch watch, CreditGrants grants, Executor executor, int maxBlock) {
        this.queue = queue;
        this.watch = watch;
        this.grants = grants;
        this.executor = executor;
        this.maxBlock = maxBlock;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        while (current == null || position == current.length()) {
            if (current != null && current.last()) {
                return -1;
            }
            nextBlock();
        }
        int n = Math.min(length, current.length() - position);
        System.arraycopy(current.raw, position, target, offset, n);
        position += n;
        return n;
    }

    private void nextBlock() throws IOException {
        try {
            if (Thread.interrupted()) {
                // nothing below need wait, and the disk is written to by what does not heed interrupts
                throw new InterruptedException();
            }
            if (current != null) {
                spare.add(current.raw);
                current = null;
            }
            for (ArrivedFrame f = more(); f != null; f = more()) {
                decode(f);
            }
            if (ahead.isEmpty()) {
                long idle = System.nanoTime();
                decode(queue.take(watch));
                if (started == 0) {
                    started = System.nanoTime();
                } else {
                    waitingNanos += System.nanoTime() - idle;
                }
            }
            current = ahead.remove().get();
            position = 0;
            wireBytes += current.frame.length();
            rawBytes += current.length();
            grants.consumed(new Credit.Grant(wireBytes, rawBytes, waitingNanos, System.nanoTime() - started));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("Interrupted while receiving").initCause(e);
        } catch (ExecutionException e) {
            throw new IOException("Damaged transfer: " + e.getCause().getMessage(), e.getCause());
        }
    }

    private ArrivedFrame more() throws IOException {
        return ahead.size() < AHEAD ? queue.poll() : null;
    }

    private void decode(ArrivedFrame frame) {
        FutureTask<Block> task = new FutureTask<>(() -> {
            Queue<BlockDecoder> idle =
                    decoders.computeIfAbsent(frame.header().codec(), c -> new ConcurrentLinkedQueue<>());
            BlockDecoder used = idle.poll();
            BlockDecoder decoder = used != null ? used : frame.header().codec().newDecoder();
            byte[] reused = spare.poll();
            byte[] raw = reused != null ? reused : new byte[maxBlock];
            long start = System.nanoTime();
            long cpu = ThreadTimes.current();
            try {
                Frames.decode(frame.header(), decoder, frame.body(), raw);
            } finally {
                idle.add(decoder);
                decodeNanos.add(System.nanoTime() - start);
                decodeCpuNanos.add(ThreadTimes.current() - cpu);
            }
            return new Block(frame, raw);
        });
        // in this order: close() waits for what is in the queue, and the executor may refuse
        executor.execute(task);
        ahead.add(task);
    }

    /** Bytes of the frames read so far. */
    long wireBytes() {
        return wireBytes;
    }

    /** Bytes of the blocks read so far: those of the tar stream. */
    long rawBytes() {
        return rawBytes;
    }

    /** Time in which there was no frame to work on, after the first, nanoseconds. */
    long waitingNanos() {
        return waitingNanos;
    }

    /** Time to decode, summed over threads, nanoseconds. */
    long decodeNanos() {
        return decodeNanos.sum();
    }

    /** Processor time to decode, nanoseconds; 0 where the JVM does not tell. */
    long decodeCpuNanos() {
        return decodeCpuNanos.sum();
    }

    /** Gives back native memory, after waiting for the blocks that are being decoded. */
    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        while (!ahead.isEmpty()) {
            try {
                ahead.element().get();
                ahead.remove();
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (ExecutionException e) {
                // the reader has already failed for an earlier reason
                ahead.remove();
            }
        }
        decoders.values().forEach(idle -> idle.forEach(BlockDecoder::close));
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
