package io.jenkins.plugins.compressionaware.engine.adaptive;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Chooses codec and level block by block during one transfer. The caller reports durations in nanoseconds, so the selector needs no clock;
 * all observations except {@link #onCompressed} are optional. Thread-safe: each method holds one lock for microseconds.
 */
@Restricted(NoExternalUse.class)
public final class CodecSelector {
    /** Minimum length in bytes of a measured block. Overhead dominates the time of shorter blocks. */
    private static final int MIN_MEASURED_BLOCK = 16 * 1024;

    /** CPU time of the channel on both ends, nanoseconds per wire byte: 4 over TCP, 7 over WebSocket. */
    private static final double CHANNEL_CPU_NANOS_PER_BYTE = 5;

    /** CPU time of sealed HTTP requests on both ends, nanoseconds per wire byte: 1.8 to 3. */
    private static final double DIRECT_CPU_NANOS_PER_BYTE = 2;

    /** Runnable threads while both ends share processors. With fewer processors, a request mostly waits for a processor. */
    private static final double RUNNABLE_THREADS = 8;

    /** Number of families from which new extensions of a content class share one family. */
    private static final int MAX_FAMILIES = 48;

    private static final int MAX_EXTENSION_LENGTH = 8;

    private static final CostPerByte UNCOMPRESSED_COST = new CostPerByte(0, 1);

    private final int threads;
    private final LevelSelector levelSelector;

    /** Estimates by the name of the content class with the extension, a string because a fresh JVM is slow to hash a record. */
    @GuardedBy("this")
    private final Map<String, BlockFamilyEstimates> families = new HashMap<>();

    @GuardedBy("this")
    private final LaneRateEstimator laneRate = new LaneRateEstimator();

    private final List<CodecLevel> levels;

    @GuardedBy("this")
    private boolean direct;

    @GuardedBy("this")
    private int sharedProcessors;

    /**
     * @param minLevel lowest effort: 0 uncompressed, 1 to 19 a zstd level. At any level, blocks that hardly compress stay uncompressed
     * @param maxLevel highest effort on the same scale, not below {@code minLevel}
     * @param threads  compressing threads, at least 1
     * @param zstd     whether both ends can use zstd; otherwise gzip is used
     * @param lz4      whether both ends can use lz4, which is used only without zstd
     */
    public CodecSelector(int minLevel, int maxLevel, int threads, boolean zstd, boolean lz4) {
        this.threads = threads;
        levelSelector = new LevelSelector(CompressionLadder.rungs(minLevel, maxLevel, zstd, lz4));
        levels = CompressionLadder.levels(minLevel, maxLevel, zstd);
    }

    /**
     * Chooses codec and level for a block.
     *
     * @param fileName name of the file in which the block begins, with or without folders; null if unknown
     */
    public BlockDecision choose(byte[] block, int length, String fileName) {
        return choose(ContentClassifier.classify(block, length), length, fileName);
    }

    public synchronized BlockDecision choose(ContentClass contentClass, int length, String fileName) {
        BlockFamilyEstimates family = estimates(contentClass, fileName == null ? "" : extension(fileName));
        int rung = levelSelector.choose(family, model(laneCost()));
        return new BlockDecision(family, rung, length, levels.get(rung));
    }

    @GuardedBy("this")
    private BlockFamilyEstimates estimates(ContentClass contentClass, String extension) {
        String family = contentClass.name().concat(extension);
        boolean fits = families.containsKey(family) || families.size() < MAX_FAMILIES;
        return families.computeIfAbsent(
                fits ? family : contentClass.name(), key -> new BlockFamilyEstimates(contentClass));
    }

    /** Returns the extension of a file in lower case, without the dot; empty if there is none or it is unusual. */
    private static String extension(String fileName) {
        int dot = fileName.lastIndexOf('.');
        String end = fileName.substring(dot + 1);
        boolean usual =
                dot >= 0 && end.length() <= MAX_EXTENSION_LENGTH && end.chars().allMatch(Character::isLetterOrDigit);
        return usual ? end.toLowerCase(Locale.ROOT) : "";
    }

    /** Returns nanoseconds per wire byte over all lanes, without the time that requests wait for shared processors. */
    synchronized double laneCost() {
        double cost = laneRate.nanosPerByte();
        if (!direct || sharedProcessors == 0) {
            return cost;
        }
        double waitFactor = Math.max(1, RUNNABLE_THREADS / sharedProcessors);
        // a byte waits for processors at most its CPU time times the threads per processor; the link causes any further
        // delay
        return Math.max(cost / waitFactor, cost - waitFactor * model(cost).processors(UNCOMPRESSED_COST));
    }

    @GuardedBy("this")
    private CostModel model(double lane) {
        double laneCpu = direct ? DIRECT_CPU_NANOS_PER_BYTE : CHANNEL_CPU_NANOS_PER_BYTE;
        return new CostModel(lane, laneCpu, threads, sharedProcessors);
    }

    /**
     * Records the result of a compressed block.
     *
     * @param wireLength length of its frame in bytes
     * @param nanos      time of one thread; CPU time if {@link #sharedProcessors processors are shared}
     */
    public synchronized void onCompressed(BlockDecision decision, int wireLength, long nanos) {
        if (decision.rawLength() < MIN_MEASURED_BLOCK) {
            return;
        }
        decision.family().update(decision.rung(), decision.rawLength(), wireLength, nanos);
    }

    public synchronized void onSent(LaneWrite write) {
        laneRate.sent(write);
    }

    /**
     * Sets number and type of the lanes, which may change during the transfer.
     *
     * @param count    at least 1
     * @param requests whether the lanes are HTTP requests rather than streams over the channel
     */
    public synchronized void lanes(int count, boolean requests) {
        laneRate.setLanes(count, !requests);
        direct = requests;
    }

    /**
     * Sets the rate that an earlier transfer measured.
     *
     * @param nanosPerByte nanoseconds per wire byte over all lanes together, above 0
     */
    public synchronized void link(double nanosPerByte) {
        laneRate.known(nanosPerByte);
    }

    /** Sets the duration of an empty call to the other end, in nanoseconds. */
    public synchronized void roundTrip(long nanos) {
        laneRate.roundTrip(nanos);
    }

    /**
     * Sets the number of processors that agent and controller share on one machine.
     *
     * @param count 0, the default, if each has its own
     */
    public synchronized void sharedProcessors(int count) {
        sharedProcessors = count;
    }
}
