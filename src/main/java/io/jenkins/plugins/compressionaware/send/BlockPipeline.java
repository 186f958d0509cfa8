package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.codec.BlockEncoder;
import io.jenkins.plugins.compressionaware.codec.Checksum;
import io.jenkins.plugins.compressionaware.codec.Frames;
import io.jenkins.plugins.compressionaware.transfer.ThreadTimes;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.Map;
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
 * between them bounds the memory: at most {@code threads + lanes + 3} blocks and as many frames exist at a time, and three more frames
 * per direct lane.
 */
final class BlockPipeline implements Closeable {
    /** From so many bytes on a direct lane is worth its probe: tens of milliseconds of processor time are saved, bytes. */
    private static final int DIRECT_FROM = 4 << 20;

    private final int blockSize;
    private final Checksum checksum;
    private final Policy policy;
    private final SendCounters tally;
    private final ThreadLocal<Map<Choice, BlockEncoder>> encoders = ThreadLocal.withInitial(HashMap::new);
    private final ExecutorService compressors;
    private final ExecutorService senders;
    private final CompletionService<Void> sending;
    private final FrameSource frames;
    private final int lanes;
    private final DirectLanes direct;
    private final long directFrom;
    private final Queue<byte[]> spareBlocks = new ConcurrentLinkedQueue<>();
    private long blocks;
    private Future<Void> failed;

    BlockPipeline(SendOptions options, Route route, Policy policy, SendCounters tally, ThreadTimes times) {
        blockSize = options.blockSize();
        checksum = options.checksum();
        this.policy = policy;
        this.tally = tally;
        lanes = route.lanes().size();
        frames = new FrameSource(new CreditGate(route.credits(), policy::told), options.threads() + 2);
        compressors = Executors.newFixedThreadPool(
                options.threads(), loop -> thread(() -> runAndCloseEncoders(loop), "compress", times));
        senders = Executors.newFixedThreadPool(lanes, loop -> thread(loop, "send", times));
        sending = new ExecutorCompletionService<>(senders);
        direct = route.direct() == null
                ? null
                : new DirectLanes(route.direct(), frames, this::sent, count -> countLanes(count, lanes), times);
        directFrom = route.direct() == null || route.direct().required() ? 0 : DIRECT_FROM / blockSize;
        for (OutputStream out : route.lanes()) {
            // what it kept back might be what all others wait for while it is in reserve
            Lane lane = new StreamLane(out, lanes == 1 && direct == null, this::sent);
            sending.submit(() -> {
                lane.sendAll(frames);
                return null;
            });
        }
    }

    private void countLanes(int directLanes, int others) {
        policy.lanes(directLanes > 0 ? directLanes : others, directLanes > 0);
    }

    private void sent(int wireLength, long writeNanos, long heldNanos, long starvedNanos) {
        tally.sent(wireLength, writeNanos, heldNanos, starvedNanos);
        policy.sent(wireLength, writeNanos, heldNanos, starvedNanos);
    }

    private static Thread thread(Runnable loop, String role, ThreadTimes times) {
        Thread thread = new Thread(loop, "artifact transfer: " + role);
        thread.setDaemon(true);
        times.add(thread);
        return thread;
    }

    // an encoder may hold native memory; its thread knows best when it is no longer in use
    private void runAndCloseEncoders(Runnable loop) {
        try {
            loop.run();
        } finally {
            encoders.get().values().forEach(BlockEncoder::close);
            encoders.remove();
        }
    }

    /** An array of the block size for the next block. */
    byte[] newBlock() {
        byte[] spare = spareBlocks.poll();
        return spare != null ? spare : new byte[blockSize];
    }

    /**
     * Takes a block over; waits while the queue is full.
     *
     * @param fileName  name of the file that the block begins in
     * @param readNanos time that it took to fill the block
     * @throws IOException if an earlier block could not be sent
     */
    void submit(byte[] block, int length, String fileName, long readNanos) throws IOException, InterruptedException {
        tally.readNanos.add(readNanos);
        policy.read(length, readNanos);
        if (direct != null && blocks == directFrom) {
            direct.open();
        }
        long sequence = blocks++;
        compress(() -> encode(sequence, block, length, fileName));
    }

    private EncodedFrame encode(long sequence, byte[] block, int length, String fileName) {
        Policy.Plan plan = policy.plan(block, length, fileName);
        Choice choice = plan.choice();
        BlockEncoder encoder = encoder(choice);
        byte[] spare = frames.spare();
        int bound = Frames.bound(choice.codec(), encoder, blockSize);
        byte[] frame = spare != null && spare.length >= bound ? spare : new byte[bound];
        long cpu = ThreadTimes.current();
        long start = System.nanoTime();
        int size = Frames.encode(choice.codec(), encoder, policy.checksum(checksum), sequence, block, length, frame);
        long nanos = System.nanoTime() - start;
        spareBlocks.add(block);
        plan.done(size, nanos, cpu < 0 ? -1 : ThreadTimes.current() - cpu);
        tally.compressed(choice, length, size, nanos);
        return new EncodedFrame(frame, size);
    }

    private BlockEncoder encoder(Choice choice) {
        return encoders.get().computeIfAbsent(choice, chosen -> chosen.codec().newEncoder(chosen.level()));
    }

    /** Sends the end frame and returns when everything has been given to the lanes. */
    void finish() throws IOException, InterruptedException {
        compress(() -> {
            Choice choice = policy.end();
            byte[] end = Frames.end(choice.codec(), encoder(choice), policy.checksum(checksum), blocks);
            return new EncodedFrame(end, end.length);
        });
        enqueue(FrameSource.END);
        for (int i = 0; i < lanes; i++) {
            check(sending.take());
        }
    }

    private void compress(Callable<EncodedFrame> task) throws IOException, InterruptedException {
        enqueue(compressors.submit(task));
    }

    private void enqueue(Future<EncodedFrame> frame) throws IOException, InterruptedException {
        while (!frames.offer(frame, 100, TimeUnit.MILLISECONDS)) {
            // before the end, a lane returns only when it has failed; the tar library may still write after that was
            // thrown
            failed = failed != null ? failed : sending.poll();
            if (failed != null) {
                check(failed);
            }
        }
    }

    /** What came of the direct lanes; null if there were none. */
    DirectReport direct() {
        return direct == null ? null : direct.report();
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
        if (direct != null) {
            direct.close();
        }
        senders.shutdownNow();
    }
}
