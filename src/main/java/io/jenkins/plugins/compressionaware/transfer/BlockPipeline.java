package io.jenkins.plugins.compressionaware.transfer;

import io.jenkins.plugins.compressionaware.codec.BlockEncoder;
import io.jenkins.plugins.compressionaware.codec.Frames;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Blocks in, frames out: compresses on a few threads and sends on one more per lane, while the caller fills the next block. The queue
 * between them bounds the memory: at most {@code threads + lanes + 3} blocks and as many frames exist at a time.
 */
final class BlockPipeline implements Closeable {
    private final SendOptions options;
    private final ThreadLocal<BlockEncoder> encoder;
    private final ExecutorService compressors;
    private final ExecutorService senders;
    private final CompletionService<Void> sending;
    private final FrameSource frames;
    private final int lanes;
    private final Queue<byte[]> spareBlocks = new ConcurrentLinkedQueue<>();
    private final Queue<byte[]> spareFrames = new ConcurrentLinkedQueue<>();
    private long blocks;
    private Future<Void> failed;

    BlockPipeline(SendOptions options, Credit.Gate gate, List<StreamLane> lanes) {
        this.options = options;
        this.lanes = lanes.size();
        frames = new FrameSource(gate, options.threads() + 2);
        encoder = ThreadLocal.withInitial(() -> options.codec().newEncoder(options.level()));
        compressors = Executors.newFixedThreadPool(
                options.threads(), loop -> thread(() -> runAndCloseEncoder(loop), "compress"));
        senders = Executors.newFixedThreadPool(lanes.size(), loop -> thread(loop, "send"));
        sending = new ExecutorCompletionService<>(senders);
        lanes.forEach(lane -> sending.submit(() -> sendAll(lane)));
    }

    private static Thread thread(Runnable loop, String role) {
        Thread thread = new Thread(loop, "artifact transfer: " + role);
        thread.setDaemon(true);
        return thread;
    }

    // an encoder may hold native memory; its thread knows best when it is no longer in use
    private void runAndCloseEncoder(Runnable loop) {
        try {
            loop.run();
        } finally {
            encoder.get().close();
            encoder.remove();
        }
    }

    /** An array of the block size for the next block. */
    byte[] newBlock() {
        byte[] spare = spareBlocks.poll();
        return spare != null ? spare : new byte[options.blockSize()];
    }

    /**
     * Takes a block over; waits while the queue is full.
     *
     * @throws IOException if an earlier block could not be sent
     */
    void submit(byte[] block, int length) throws IOException, InterruptedException {
        long sequence = blocks++;
        compress(() -> {
            byte[] spare = spareFrames.poll();
            byte[] frame =
                    spare != null ? spare : new byte[Frames.bound(options.codec(), encoder.get(), options.blockSize())];
            int size = Frames.encode(options.codec(), encoder.get(), sequence, block, length, frame);
            spareBlocks.add(block);
            return new FrameSource.Frame(frame, size);
        });
    }

    /** Sends the end frame and returns when everything has been given to the lanes. */
    void finish() throws IOException, InterruptedException {
        compress(() -> {
            byte[] end = Frames.end(options.codec(), encoder.get(), blocks);
            return new FrameSource.Frame(end, end.length);
        });
        enqueue(FrameSource.END);
        for (int i = 0; i < lanes; i++) {
            check(sending.take());
        }
    }

    private void compress(Callable<FrameSource.Frame> task) throws IOException, InterruptedException {
        enqueue(compressors.submit(task));
    }

    private void enqueue(Future<FrameSource.Frame> frame) throws IOException, InterruptedException {
        while (!frames.offer(frame, 100, TimeUnit.MILLISECONDS)) {
            // before the end, a lane returns only when it has failed; the tar library may still write after that was
            // thrown
            failed = failed != null ? failed : sending.poll();
            if (failed != null) {
                check(failed);
            }
        }
    }

    private Void sendAll(StreamLane lane) throws IOException, InterruptedException, ExecutionException {
        for (FrameSource.Frame frame = frames.take(); frame != null; frame = frames.take()) {
            lane.send(frame.bytes(), frame.length());
            spareFrames.add(frame.bytes());
        }
        lane.finish();
        return null;
    }

    private static void check(Future<Void> lane) throws IOException, InterruptedException {
        try {
            lane.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() instanceof ExecutionException inner ? inner.getCause() : e.getCause();
            throw new IOException("Cannot send: " + cause.getMessage(), cause);
        }
    }

    /** Stops the threads. */
    @Override
    public void close() {
        compressors.shutdownNow();
        senders.shutdownNow();
    }
}
