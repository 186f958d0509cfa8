package io.jenkins.plugins.compressionaware.adapt;

import io.jenkins.plugins.compressionaware.codec.Codec;
import java.util.EnumSet;
import java.util.Set;

/**
 * The bounds of the choice.
 *
 * @param floor   least effort: 0 stored, 1 lz4 or zstd 1, 2 to 19 a zstd level
 * @param ceiling most effort, on the same scale, not below {@code floor}
 * @param threads threads that compress, at least 1
 * @param working codecs that work on both machines; stored is always among them
 */
public record AutoOptions(int floor, int ceiling, int threads, Set<Codec> working) {
    /** The highest effort there is. */
    public static final int MAX_EFFORT = 19;

    public AutoOptions {
        if (floor < 0 || ceiling > MAX_EFFORT || floor > ceiling) {
            throw new IllegalArgumentException(
                    "Floor " + floor + " and ceiling " + ceiling + " are not in 0 to " + MAX_EFFORT);
        }
        if (threads < 1) {
            throw new IllegalArgumentException("At least one thread is needed");
        }
        EnumSet<Codec> all = EnumSet.of(Codec.NONE);
        all.addAll(working);
        working = Set.copyOf(all);
    }

    /** Without bounds. */
    public AutoOptions(int threads) {
        this(0, MAX_EFFORT, threads, EnumSet.of(Codec.NONE, Codec.LZ4, Codec.ZSTD));
    }
}
