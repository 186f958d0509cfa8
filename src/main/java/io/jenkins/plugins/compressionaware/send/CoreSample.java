package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.adapt.Choice;
import io.jenkins.plugins.compressionaware.adapt.Usage;
import io.jenkins.plugins.compressionaware.codec.BlockEncoder;
import io.jenkins.plugins.compressionaware.codec.Codec;
import io.jenkins.plugins.compressionaware.codec.Frames;
import io.jenkins.plugins.compressionaware.transfer.ThreadTimes;
import io.jenkins.plugins.compressionaware.transfer.TransferThreads;
import java.io.Closeable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * What gzip 6, which Jenkins itself gives every byte, takes on this machine. A block of a transfer, any with the same chance, goes through it once
 * the transfer is over, if no other one runs in this JVM. All of that together takes at most a hundredth of the processor time of all transfers.
 * What was measured goes with the report of the next one. One thread uses it.
 */
final class CoreSample implements Closeable {
    private static final Logger LOGGER = Logger.getLogger(CoreSample.class.getName());
    private static final Choice CORES = new Choice(Codec.GZIP, 6);

    private static final int SHARE = 100;

    /** What a block is thought to take, nanoseconds per byte: jars at 25 MB/s. What it took is what counts in the end. */
    private static final long EXPECTED = 40;

    // of this JVM, guarded by the class
    private static int running;
    private static long credit;
    private static Usage measured;

    private final TransferThreads threads;
    private byte[] block;
    private int length;
    private long seen;
    private long cpuNanos;

    /** Of a transfer that begins. */
    CoreSample(TransferThreads threads) {
        this.threads = threads;
        synchronized (CoreSample.class) {
            running++;
        }
    }

    /** One more block of the transfer. */
    void submitted(byte[] raw, int rawLength) {
        // each of n blocks with a chance of 1 in n; of 10,000, ten are copied
        if (ThreadLocalRandom.current().nextLong(++seen) == 0) {
            if (block == null) {
                block = new byte[raw.length];
            }
            System.arraycopy(raw, 0, block, 0, rawLength);
            length = rawLength;
        }
    }

    /**
     * What was measured since the last call; null if nothing.
     *
     * @param cpu processor time of the transfer, nanoseconds; -1 if it is not known
     */
    Usage take(long cpu) {
        cpuNanos = Math.max(0, cpu);
        synchronized (CoreSample.class) {
            Usage taken = measured;
            measured = null;
            return taken;
        }
    }

    /** The transfer is over. */
    @Override
    public void close() {
        synchronized (CoreSample.class) {
            running--;
            long cost = length * EXPECTED;
            // no more than for one block: what was saved up would be spent at once
            credit = Math.min(credit + cpuNanos / SHARE, Math.max(credit, cost));
            if (running > 0 || length == 0 || credit < cost) {
                return;
            }
        }
        try {
            threads.create("sample", this::measure).start();
        } catch (OutOfMemoryError e) { // no thread is to be had
            LOGGER.log(Level.FINE, "No sample", e);
        }
    }

    private void measure() {
        try (BlockEncoder encoder = CORES.codec().newEncoder(CORES.level())) {
            byte[] frame = new byte[Frames.bound(CORES.codec(), encoder, length)];
            long start = ThreadTimes.current();
            int wire = encoder.encode(block, length, frame, 0);
            long nanos = ThreadTimes.current() - start;
            synchronized (CoreSample.class) {
                credit -= nanos;
                Usage one = new Usage(CORES, 1, length, wire, nanos);
                measured = measured == null ? one : measured.plus(one);
            }
        }
    }
}
