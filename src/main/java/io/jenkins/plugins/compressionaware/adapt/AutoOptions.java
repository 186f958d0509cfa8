package io.jenkins.plugins.compressionaware.adapt;

import io.jenkins.plugins.compressionaware.codec.Codec;
import java.util.EnumSet;
import java.util.Set;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The bounds of the choice.
 *
 * @param minLevel least effort: 0 stored, 1 lz4 or zstd 1, 2 to 19 a zstd level
 * @param maxLevel most effort, on the same scale, not below {@code minLevel}
 * @param threads  threads that compress, at least 1
 * @param usable   codecs that both ends can use; always includes stored
 */
@Restricted(NoExternalUse.class)
public record AutoOptions(int minLevel, int maxLevel, int threads, Set<Codec> usable) {
    /** The most effort there is. */
    public static final int HIGHEST_LEVEL = 19;

    public AutoOptions {
        if (minLevel < 0 || maxLevel > HIGHEST_LEVEL || minLevel > maxLevel) {
            throw new IllegalArgumentException(
                    "Levels " + minLevel + " to " + maxLevel + " are not in 0 to " + HIGHEST_LEVEL);
        }
        if (threads < 1) {
            throw new IllegalArgumentException("At least one thread is needed");
        }
        EnumSet<Codec> all = EnumSet.of(Codec.NONE);
        all.addAll(usable);
        usable = Set.copyOf(all);
    }
}
