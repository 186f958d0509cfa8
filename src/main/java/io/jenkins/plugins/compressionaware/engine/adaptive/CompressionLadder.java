package io.jenkins.plugins.compressionaware.engine.adaptive;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The codec levels that {@code auto} may choose, called rungs, in the order of their work. Other levels take much more time for hardly any
 * gain, see docs/auto-selection.md. Gzip and lz4 are worse than zstd, and are used only without it.
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
            new CodecLevel(Codec.LZ4, 0),
            new CodecLevel(Codec.GZIP, 1),
            new CodecLevel(Codec.GZIP, 6));

    private CompressionLadder() {}

    /**
     * Returns the usable rungs within the bounds, or else the next usable one below; uncompressed is always usable. With zstd, a lowest level between two
     * rungs, such as 4, includes the rung below.
     *
     * @param minLevel lowest effort: 0 uncompressed, otherwise a level
     * @param maxLevel highest effort, on the same scale
     * @param zstd     whether both ends can use zstd
     * @param lz4      whether both ends can use lz4, which is used only without zstd
     */
    static int[] rungs(int minLevel, int maxLevel, boolean zstd, boolean lz4) {
        int below = 0;
        for (int rung = 0; rung < ALL.size(); rung++) {
            if (isUsable(rung, zstd, lz4) && effort(rung) <= minLevel) {
                below = rung;
            }
        }
        int from = zstd ? ALL.get(below).level() : minLevel;
        int[] within = new int[ALL.size()];
        int count = 0;
        for (int rung = 0; rung < ALL.size(); rung++) {
            int effort = effort(rung);
            if (isUsable(rung, zstd, lz4) && effort >= from && effort <= maxLevel) {
                within[count++] = rung;
            }
        }
        return count > 0 ? Arrays.copyOf(within, count) : new int[] {below};
    }

    private static boolean isUsable(int rung, boolean zstd, boolean lz4) {
        Codec codec = ALL.get(rung).codec();
        return codec == Codec.NONE || (codec == Codec.ZSTD) == zstd && (codec != Codec.LZ4 || lz4);
    }

    /** Returns the rung's place on the scale of {@code minLevel} and {@code maxLevel}, on which lz4 is 1. */
    private static int effort(int rung) {
        return rung == 0 ? 0 : Math.max(1, ALL.get(rung).level());
    }

    /**
     * Returns the codec level of each rung of {@link #ALL}. With zstd, a lowest level between two rungs replaces the rung below, whose figures are
     * its first estimates.
     */
    static List<CodecLevel> levels(int minLevel, int maxLevel, boolean zstd) {
        List<CodecLevel> levels = new ArrayList<>(ALL);
        int lowest = rungs(minLevel, maxLevel, zstd, false)[0];
        if (ALL.get(lowest).codec() == Codec.ZSTD && ALL.get(lowest).level() < minLevel) {
            levels.set(lowest, CodecLevel.zstd(minLevel));
        }
        return levels;
    }
}
