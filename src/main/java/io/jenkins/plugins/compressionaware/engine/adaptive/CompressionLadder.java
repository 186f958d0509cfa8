package io.jenkins.plugins.compressionaware.engine.adaptive;

import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * The choices worth having, from least to most work. Measured on blocks of 256 KiB of source text (see {@link ContentClass}): zstd below 1 is
 * hardly faster than 1 and a quarter larger; 4 and 5 lie on the line between 3 and 6; 12 takes four times as long as 9 for 2 %; 19 takes
 * two to four times as long as 15 for 1 %. Gzip loses to zstd in every respect, and is used only without it.
 */
final class CompressionLadder {
    /** All rungs. The position of a rung in this list is its index in every table of this package. */
    static final List<CodecLevel> ALL = List.of(
            CodecLevel.UNCOMPRESSED,
            CodecLevel.LZ4,
            CodecLevel.zstd(1),
            CodecLevel.zstd(3),
            CodecLevel.zstd(6),
            CodecLevel.zstd(9),
            CodecLevel.zstd(15),
            new CodecLevel(Codec.GZIP, 1),
            new CodecLevel(Codec.GZIP, 6));

    private CompressionLadder() {}

    /**
     * The rungs that may be used. If there are none, the next usable one below, at worst stored, which always works.
     *
     * @param minLevel least work: 0 stored, 1 lz4 or level 1, else the lowest level
     * @param maxLevel most work: 0 stored, 1 lz4 or level 1, else the highest level
     * @param usable   codecs that both ends can use
     */
    static int[] rungs(int minLevel, int maxLevel, Set<Codec> usable) {
        int[] within = new int[ALL.size()];
        int count = 0;
        // bounds between two rungs, such as 4 and 5, mean the rung below
        int below = 0;
        for (int rung = 0; rung < ALL.size(); rung++) {
            int effort = effort(ALL.get(rung));
            boolean works = works(ALL.get(rung).codec(), usable);
            if (works && effort >= minLevel && effort <= maxLevel) {
                within[count++] = rung;
            }
            below = works && effort <= minLevel ? rung : below;
        }
        return count > 0 ? Arrays.copyOf(within, count) : new int[] {below};
    }

    /**
     * The choice that each rung of {@link #ALL} stands for. Bounds between two rungs, such as 4 to 5, leave only the rung below, whose figures
     * then serve for the lowest level asked for.
     */
    static List<CodecLevel> choices(int minLevel, int maxLevel, Set<Codec> usable) {
        List<CodecLevel> choices = new ArrayList<>(ALL);
        int only = rungs(minLevel, maxLevel, usable)[0];
        if (ALL.get(only).codec() == Codec.ZSTD && effort(ALL.get(only)) < minLevel) {
            choices.set(only, CodecLevel.zstd(minLevel));
        }
        return choices;
    }

    /** Without zstd only gzip is used, because lz4 sends half as much again as gzip. */
    private static boolean works(Codec codec, Set<Codec> usable) {
        boolean gzip = !usable.contains(Codec.ZSTD);
        return usable.contains(codec) && (codec == Codec.NONE || (codec == Codec.GZIP) == gzip);
    }

    private static int effort(CodecLevel choice) {
        return choice.codec() == Codec.NONE ? 0 : Math.max(1, choice.level());
    }
}
