package io.jenkins.plugins.compressionaware.engine.adaptive;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The codec levels that {@code auto} may choose, called rungs, in the order of their work. Other levels take much more time for hardly any
 * gain, see docs/auto-selection.md. Gzip is worse than zstd in every respect, and is used only without it.
 */
final class CompressionLadder {
    /** All rungs. The position of a rung is its index in every table of this package. */
    static final List<CodecLevel> ALL = List.of(
            CodecLevel.UNCOMPRESSED,
            CodecLevel.zstd(1),
            CodecLevel.zstd(3),
            CodecLevel.zstd(6),
            CodecLevel.zstd(9),
            CodecLevel.zstd(15),
            new CodecLevel(Codec.GZIP, 1),
            new CodecLevel(Codec.GZIP, 6));

    private CompressionLadder() {}

    /**
     * Returns the usable rungs within the bounds, or else the next usable one below; uncompressed is always usable.
     *
     * @param minLevel lowest effort: 0 uncompressed, otherwise a level
     * @param maxLevel highest effort, on the same scale
     * @param zstd     whether both ends can use zstd
     */
    static int[] rungs(int minLevel, int maxLevel, boolean zstd) {
        int[] within = new int[ALL.size()];
        int count = 0;
        // bounds between two rungs, such as 4 and 5, mean the rung below
        int below = 0;
        for (int rung = 0; rung < ALL.size(); rung++) {
            int effort = ALL.get(rung).level();
            Codec codec = ALL.get(rung).codec();
            boolean used = codec == Codec.NONE || (codec == Codec.ZSTD) == zstd;
            if (used && effort >= minLevel && effort <= maxLevel) {
                within[count++] = rung;
            }
            below = used && effort <= minLevel ? rung : below;
        }
        return count > 0 ? Arrays.copyOf(within, count) : new int[] {below};
    }

    /**
     * Returns the codec level of each rung of {@link #ALL}. Bounds between two rungs, such as 4 to 5, leave only the rung below, whose
     * figures then serve for the lowest level within the bounds.
     */
    static List<CodecLevel> levels(int minLevel, int maxLevel, boolean zstd) {
        List<CodecLevel> levels = new ArrayList<>(ALL);
        int only = rungs(minLevel, maxLevel, zstd)[0];
        if (ALL.get(only).codec() == Codec.ZSTD && ALL.get(only).level() < minLevel) {
            levels.set(only, CodecLevel.zstd(minLevel));
        }
        return levels;
    }
}
