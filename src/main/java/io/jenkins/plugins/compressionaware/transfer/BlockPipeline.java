package io.jenkins.plugins.compressionaware.transfer;

import io.jenkins.plugins.compressionaware.codec.BlockEncoder;
import io.jenkins.plugins.compressionaware.codec.Frames;
import java.io.Closeable;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Blocks in, frames out: compresses on a few threads and sends in order on one more, while the caller fills the next block. The queue
 * between them bounds the memory: at most {@code threads + 4} blocks and as many frames exist at a time.
 */
final class BlockPipeline implements Closeable {
    private static final Frame END_OF_QUEUE = new Frame(new byte[0], 0);

    private final SendOptions options;
    private final StreamLane lane;
    private final ThreadLocal<BlockEncoder> encoder;
    private final ExecutorService compressors;
    private final ExecutorService sender;
    private final BlockingQueue<Future<Frame>> inOrder;
    private final Future<Void> sending;
    private final Queue<byte[]> spareBlocks = new ConcurrentLinkedQueue<>();
    private final Queue<byte[]> spareFrames = new ConcurrentLinkedQueue<>();
    private long blocks;

    private record Frame(byte[] bytes, int length) {}

    BlockPipeline(SendOptions options, StreamLane lane) {
        this.options = options;
        this.lane = lane;
        inOrder = new ArrayBlockingQueue<>(options.threads() + 2);
        encoder = ThreadLocal.withInitial(() -> options.codec().newEncoder(options.level()));
        compressors = Executors.newFixedThreadPool(
                options.threads(), loop -> thread(() -> runAndCloseEncoder(loop), "compress"));
        sender = Executors.newSingleThreadExecutor(loop -> thread(loop, "send"));
        sending = sender.submit(this::sendAll);
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
            return new Frame(frame, size);
        });
    }

    /** Sends the end frame and returns when everything has been given to the lane. */
    void finish() throws IOException, InterruptedException {
        compress(() -> {
            byte[] end = Frames.end(options.codec(), encoder.get(), blocks);
            return new Frame(end, end.length);
        });
        enqueue(CompletableFuture.completedFuture(END_OF_QUEUE));
        awaitSender();
    }

    private void compress(Callable<Frame> task) throws IOException, InterruptedException {
        enqueue(compressors.submit(task));
    }

    private void enqueue(Future<Frame> frame) throws IOException, InterruptedException {
        while (!inOrder.offer(frame, 100, TimeUnit.MILLISECONDS)) {
            if (sending.isDone()) {
                awaitSender();
            }
        }
    }

    private Void sendAll() throws IOException, InterruptedException, ExecutionException {
        for (Frame frame = inOrder.take().get();
                frame != END_OF_QUEUE;
                frame = inOrder.take().get()) {
            lane.send(frame.bytes, frame.length);
            spareFrames.add(frame.bytes);
        }
        lane.finish();
        return null;
    }

    private void awaitSender() throws IOException, InterruptedException {
        try {
            sending.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() instanceof ExecutionException inner ? inner.getCause() : e.getCause();
            throw new IOException("Cannot send: " + cause.getMessage(), cause);
        }
    }

    /** Stops the threads. */
    @Override
    public void close() {
        compressors.shutdownNow();
        sender.shutdownNow();
    }
}
