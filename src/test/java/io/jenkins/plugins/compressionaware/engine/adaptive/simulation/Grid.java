package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import io.jenkins.plugins.compressionaware.engine.adaptive.simulation.Scenario.Disturbance;
import io.jenkins.plugins.compressionaware.engine.adaptive.simulation.Scenario.Disturbance.Target;
import io.jenkins.plugins.compressionaware.engine.adaptive.simulation.SimData.Nature;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.IntFunction;

/**
 * The scenarios: each link with each round trip and each pattern of data. A seeded random generator draws machines, load, threads and specimens of the data.
 */
final class Grid {
    private static final double[] MEGABITS = {1, 10, 100, 1000, 10_000, 40_000};
    private static final double[] ROUND_TRIP_MILLIS = {0.2, 20, 100, 300};

    private static final List<Disturbance> DISTURBANCES = List.of(
            Disturbance.NONE,
            Disturbance.NONE,
            Disturbance.NONE,
            new Disturbance(Target.AGENT, List.of(new double[] {0.3, 0.7})),
            new Disturbance(Target.CONTROLLER, List.of(new double[] {0.3, 0.7})),
            new Disturbance(Target.LINK, List.of(new double[] {0.3, 0.7})),
            new Disturbance(Target.LINK, List.of(new double[] {0.1, 0.3}, new double[] {0.6, 0.8})));

    private enum Pattern {
        TEXT(Nature.TEXT),
        CLASSES(Nature.CLASSES),
        JARS(Nature.JARS),
        RANDOM(Nature.RANDOM),
        LOGS(Nature.LOG),
        STORED_JARS(Nature.STORED_JAR),
        REPEATED_NOISE(Nature.REPEATED_NOISE),
        BASE64(Nature.BASE64),
        /** Files of one to a few blocks, in turn. */
        MIX(Nature.TEXT, Nature.JARS, Nature.LOG, Nature.CLASSES, Nature.RANDOM),
        JARS_AND_LOGS(Nature.JARS, Nature.LOG),
        /** The nature of the data changes halfway. */
        TEXT_THEN_RANDOM(Nature.TEXT, Nature.RANDOM),
        /** The nature changes halfway, but name and content class do not. */
        REPEATED_THEN_RANDOM(Nature.REPEATED_NOISE, Nature.RANDOM);

        private final Nature[] natures;

        Pattern(Nature... natures) {
            this.natures = natures;
        }

        IntFunction<SimData> data(int blocks, Random random) {
            SimData[] specimens = new SimData[natures.length];
            for (int i = 0; i < natures.length; i++) {
                specimens[i] = natures[i].specimen(random);
            }
            if (this == REPEATED_THEN_RANDOM) {
                SimData late = specimens[1];
                specimens[1] = new SimData(
                        specimens[0].contentClass(), specimens[0].name(), late.compress(), late.ratio(), late.decode());
            }
            if (name().contains("THEN")) {
                return block -> specimens[block * 2 / blocks];
            }
            SimData[] sequence = files(specimens, blocks, random);
            return block -> sequence[block];
        }

        private static SimData[] files(SimData[] specimens, int blocks, Random random) {
            SimData[] sequence = new SimData[blocks];
            for (int i = 0; i < blocks; ) {
                SimData file = specimens[random.nextInt(specimens.length)];
                for (int left = 1 + random.nextInt(12); left > 0 && i < blocks; left--) {
                    sequence[i++] = file;
                }
            }
            return sequence;
        }
    }

    private Grid() {}

    /** @param blocks length of each transfer */
    static List<Scenario> scenarios(long seed, int blocks) {
        Random random = new Random(seed);
        List<Scenario> scenarios = new ArrayList<>();
        for (double megabits : MEGABITS) {
            for (double millis : ROUND_TRIP_MILLIS) {
                for (Pattern pattern : Pattern.values()) {
                    scenarios.add(scenario(megabits, millis, pattern, blocks, random));
                }
            }
        }
        return scenarios;
    }

    private static Scenario scenario(double megabits, double millis, Pattern pattern, int blocks, Random random) {
        double windows = megabits / 8 * millis * 1e3 / (1 << 20);
        return new Scenario(
                pattern.name().toLowerCase(Locale.ROOT).replace('_', ' '),
                megabits,
                millis * 1e6,
                windows > 1 && random.nextInt(4) > 0 ? 4 : 1,
                1 << random.nextInt(3),
                pick(random, 0.5, 1, 1, 2.5),
                pick(random, 0.5, 1, 1, 2.5, 5),
                pick(random, 0.3, 0.6, 1.5, 3),
                pick(random, 0.5, 1, 2),
                pick(random, 0.5, 2, 3.5),
                blocks,
                pattern.data(blocks, random),
                DISTURBANCES.get(random.nextInt(DISTURBANCES.size())),
                random.nextLong());
    }

    private static double pick(Random random, double... values) {
        return values[random.nextInt(values.length)];
    }
}
