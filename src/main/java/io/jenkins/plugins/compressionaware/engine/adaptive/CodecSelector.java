package io.jenkins.plugins.compressionaware.engine.adaptive;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import io.jenkins.plugins.compressionaware.engine.codec.FrameCodec;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Chooses codec and level block by block during one transfer. Has no clock: the caller supplies durations, in nanoseconds. Any thread
 * may call any method; each takes microseconds and holds one lock.
 *
 * <p>Every observation except {@link #onCompressed} may be missing; a guess then takes its place.
 */
@Restricted(NoExternalUse.class)
public final class CodecSelector {
    /** Blocks of this size count as whole, bytes. */
    private static final double FULL_BLOCK = FrameCodec.DEFAULT_BLOCK;

    /** Times of smaller blocks are mostly overhead. */
    private static final int MIN_MEASURED_BLOCK = 16 * 1024;

    /** Before anything is read: 1 GB/s, nanoseconds per byte. */
    private static final double INITIAL_READ_NANOS_PER_BYTE = 1.0;

    /** Weight of a new reading time for a whole block: the mean of about the last 20. */
    private static final double READ_GAIN = 0.05;

    /** CPU time of the channel on both ends, nanoseconds per wire byte: 4 over TCP, 7 over WebSocket. */
    private static final double CHANNEL_CPU_NANOS_PER_BYTE = 5;

    /** The same for requests over HTTP. */
    private static final double DIRECT_CPU_NANOS_PER_BYTE = 0.5;

    /**
     * Threads that are ready to run if both ends share processors. With fewer processors, a request mostly waits for a processor.
     */
    private static final double RUNNABLE = 8;

    /** Beyond this number, all further extensions of one look share a family. */
    private static final int MOST_FAMILIES = 48;

    private static final CostPerByte STORED = new CostPerByte(0, 1, 0);

    private final int threads;
    private final LevelSelector chooser;
    private final Map<BlockFamily, BlockFamilyEstimates> families = new HashMap<>();
    private final LaneRateEstimator lanes = new LaneRateEstimator();
    private final List<CodecLevel> choices;
    private double onRead = INITIAL_READ_NANOS_PER_BYTE;
    private double carry = CHANNEL_CPU_NANOS_PER_BYTE;
    private boolean direct;
    private int sharedProcessors;
    private int changeCount;

    /**
     * @param minLevel least effort: 0 stored, 1 lz4 or zstd 1, 2 to 19 a zstd level
     * @param maxLevel most effort, on the same scale, not below {@code minLevel}
     * @param threads  threads that compress, at least 1
     * @param usable   codecs that both ends can use, stored and gzip
     */
    public CodecSelector(int minLevel, int maxLevel, int threads, Set<Codec> usable) {
        this.threads = threads;
        Set<Codec> codecs = EnumSet.of(Codec.NONE, Codec.GZIP);
        codecs.addAll(usable);
        chooser = new LevelSelector(CompressionLadder.rungs(minLevel, maxLevel, codecs));
        choices = CompressionLadder.choices(minLevel, maxLevel, codecs);
    }

    /**
     * The choice for a block.
     *
     * @param fileName name of the file in which the block begins; null if unknown or of no interest
     */
    public BlockDecision choose(byte[] block, int length, String fileName) {
        return choose(ContentClassifier.classify(block, length), length, fileName);
    }

    /** The same for a block whose look is known. */
    public synchronized BlockDecision choose(ContentClass look, int length, String fileName) {
        BlockFamilyEstimates family = estimates(BlockFamily.of(look, fileName));
        CostModel model = model(laneCost());
        int before = family.current;
        int rung = chooser.choose(family, model);
        changeCount += before >= 0 && before != family.current ? 1 : 0;
        return new BlockDecision(family, rung, length, choices.get(rung));
    }

    private BlockFamilyEstimates estimates(BlockFamily family) {
        boolean fits = families.containsKey(family) || families.size() < MOST_FAMILIES;
        return families.computeIfAbsent(
                fits ? family : family.withoutExtension(), key -> new BlockFamilyEstimates(key.look()));
    }

    /** Nanoseconds per wire byte of all lanes, without the time that their requests wait for shared processors. */
    double laneCost() {
        double cost = lanes.nanosPerByte();
        if (!direct || sharedProcessors == 0) {
            return cost;
        }
        double crowd = Math.max(1, RUNNABLE / sharedProcessors);
        // processors delay a byte by at most the work on it, once for each thread per processor; the link takes the
        // rest
        // of a long request
        return Math.max(cost / crowd, cost - crowd * model(cost).processors(STORED));
    }

    private CostModel model(double lane) {
        return new CostModel(onRead, lane, carry, threads, sharedProcessors);
    }

    /**
     * A block has been compressed.
     *
     * @param wireLength length of its frame in bytes
     * @param nanos      time that it took one thread; where {@link #sharedProcessors processors are shared}, CPU time
     */
    public synchronized void onCompressed(BlockDecision decision, int wireLength, long nanos) {
        if (decision.rawLength() < MIN_MEASURED_BLOCK) {
            return;
        }
        decision.family().update(decision.rung(), decision.rawLength(), wireLength, nanos);
    }

    /**
     * Files have been read into a block.
     *
     * @param nanos time that it took, without waiting for the pipeline
     */
    public synchronized void onRead(int rawLength, long nanos) {
        double gain = READ_GAIN * Math.min(1, rawLength / FULL_BLOCK);
        onRead += rawLength == 0 ? 0 : gain * ((double) nanos / rawLength - onRead);
    }

    /** A lane has written a piece. */
    public synchronized void onSent(LaneWrite write) {
        lanes.sent(write);
    }

    /**
     * Sets the number and type of the lanes, which may change during the transfer.
     *
     * @param count    at least 1
     * @param requests whether the lanes are requests over HTTP rather than streams over the channel
     */
    public synchronized void lanes(int count, boolean requests) {
        lanes.setLanes(count, !requests);
        direct = requests;
        carry = direct ? DIRECT_CPU_NANOS_PER_BYTE : CHANNEL_CPU_NANOS_PER_BYTE;
    }

    /**
     * Sets what is known of the lanes before they have written anything.
     *
     * @param nanosPerByte over all lanes together, above 0
     */
    public synchronized void link(double nanosPerByte) {
        lanes.known(nanosPerByte);
    }

    /** Sets the time of an empty call to the other end and back. */
    public synchronized void roundTrip(long nanos) {
        lanes.roundTrip(nanos);
    }

    /**
     * Sets the number of processors that agent and controller share when they run on one machine.
     *
     * @param count 0 if each has its own, which is the default
     */
    public synchronized void sharedProcessors(int count) {
        sharedProcessors = count;
    }

    /** Number of times that the choice for a family changed, not counting trials of single blocks. */
    public synchronized int changeCount() {
        return changeCount;
    }
}
