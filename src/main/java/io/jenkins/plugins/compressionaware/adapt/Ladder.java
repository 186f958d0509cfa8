package io.jenkins.plugins.compressionaware.adapt;

import io.jenkins.plugins.compressionaware.codec.Codec;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The choices worth having, from least to most work. Measured on blocks of 256 KiB of source text (see {@link BuiltIn}): zstd below 1 is
 * hardly faster than 1 and a quarter larger; 4 and 5 lie on the line between 3 and 6; 12 takes four times as long as 9 for 2 %; 19 takes
 * two to four times as long as 15 for 1 %. Gzip loses to zstd in every respect.
 */
final class Ladder {
    /** All rungs. */
    static final List<Choice> ALL = List.of(
            Choice.STORED, Choice.LZ4, Choice.zstd(1), Choice.zstd(3), Choice.zstd(6), Choice.zstd(9), Choice.zstd(15));

    private Ladder() {}

    /** Where {@code choice} stands in {@link #ALL}, which is its index in every table of this package. */
    static int rung(Choice choice) {
        return ALL.indexOf(choice);
    }

    /**
     * The rungs that may be used; stored if there are none, since that always works.
     *
     * @param floor   least work: 0 stored, 1 lz4 or zstd 1, else the lowest zstd level
     * @param ceiling most work: 0 stored, 1 lz4 or zstd 1, else the highest zstd level
     * @param working codecs that work on both machines
     */
    static int[] rungs(int floor, int ceiling, Set<Codec> working) {
        List<Integer> rungs = new ArrayList<>();
        for (Choice choice : ALL) {
            int effort = effort(choice);
            if (effort >= floor && effort <= ceiling && working.contains(choice.codec())) {
                rungs.add(rung(choice));
            }
        }
        if (rungs.isEmpty()) {
            rungs.add(rungBetween(floor, working));
        }
        return rungs.stream().mapToInt(Integer::intValue).toArray();
    }

    /**
     * What each rung stands for, as many as {@link #ALL}. Bounds between two rungs, such as 4 to 5, leave the rung below, whose figures
     * then serve for the level that was asked for.
     */
    static List<Choice> choices(int floor, int ceiling, Set<Codec> working) {
        List<Choice> choices = new ArrayList<>(ALL);
        int only = rungs(floor, ceiling, working)[0];
        if (ALL.get(only).codec() == Codec.ZSTD && effort(ALL.get(only)) < floor) {
            choices.set(only, Choice.zstd(floor));
        }
        return choices;
    }

    private static int effort(Choice choice) {
        return choice.codec() == Codec.NONE ? 0 : Math.max(1, choice.level());
    }

    // a floor and ceiling between two rungs, such as 4 and 5, mean the rung below
    private static int rungBetween(int floor, Set<Codec> working) {
        int found = 0;
        for (Choice choice : ALL) {
            if (working.contains(choice.codec()) && effort(choice) <= floor) {
                found = rung(choice);
            }
        }
        return found;
    }
}
