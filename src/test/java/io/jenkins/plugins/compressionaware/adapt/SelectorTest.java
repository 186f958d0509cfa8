package io.jenkins.plugins.compressionaware.adapt;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.adapt.SimData.Nature;
import io.jenkins.plugins.compressionaware.adapt.Situation.Disturbance;
import io.jenkins.plugins.compressionaware.codec.Codec;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SelectorTest {
    private static final int BLOCKS = 2000;

    /** One machine, so nothing is slowed down: what a lane carries (MiB/s) is its own thread's time. */
    private static Situation loopback(double mebibytes, SimData data) {
        double channel = 1e9 / (mebibytes * (1 << 20));
        return link(100_000, channel, block -> data);
    }

    private static Situation link(double megabits, double channel, IntFunction<SimData> data) {
        return new Situation("one", megabits, 0.1e6, 1, 2, 1, 1, 0.5, 1, channel, BLOCKS, data, Disturbance.NONE, 1);
    }

    private static SimData exactly(Nature nature) {
        return nature.specimen(new Random(7));
    }

    /** What each block was given. */
    private static List<Choice> choices(Situation situation) {
        Strategy.Auto auto = new Strategy.Auto(situation);
        Simulation.run(situation, auto);
        return auto.choices;
    }

    private static List<Choice> lateChoices(Situation situation) {
        return choices(situation).subList(BLOCKS / 4, BLOCKS);
    }

    private static double share(List<Choice> choices, Set<Choice> wanted) {
        return (double) choices.stream().filter(wanted::contains).count() / choices.size();
    }

    @ParameterizedTest
    @CsvSource({"235", "155", "1500"})
    void noiseOnLoopbackIsStored(double mebibytes) {
        double share = share(lateChoices(loopback(mebibytes, exactly(Nature.RANDOM))), Set.of(Choice.STORED));
        assertTrue(share > 0.95, "share of stored: " + share);
    }

    @Test
    void aFastLinkNeverGetsAStrongLevelAndASlowOneNeverAWeakOne() {
        SimData text = exactly(Nature.TEXT);
        Set<Choice> strong = Set.of(Choice.zstd(6), Choice.zstd(9), Choice.zstd(15));
        double onFast = share(lateChoices(link(100_000, 0.6, block -> text)), strong);
        double onSlow = share(lateChoices(link(2, 3, block -> text)), strong);
        assertTrue(onFast < 0.05, "on a fast link: " + onFast);
        assertTrue(onSlow > 0.9, "on a slow link: " + onSlow);
    }

    /** Small requests look slow while all wait for the same processors; what counts is what the processors are needed for. */
    @ParameterizedTest
    @CsvSource({"true, true, NONE", "true, false, ZSTD", "false, true, ZSTD"})
    void requestsOnOneMachineCarryTextAsItIs(boolean shared, boolean requests, Codec expected) {
        SimData text = exactly(Nature.TEXT);
        Selector selector = new Selector(new AutoOptions(2));
        selector.sharedProcessors(shared ? 2 : 0);
        selector.lanes(3, requests);
        List<Choice> choices = new ArrayList<>();
        for (int block = 0; block < 400; block++) {
            int length = 256 * 1024;
            Decision decision = selector.choose(text.look(), length, text.name(), block * 1_000_000L);
            int rung = Ladder.rung(decision.choice());
            int wire = (int) (text.ratio()[rung] * length);
            selector.read(length, length);
            selector.compressed(decision, wire, (long) (text.compress()[rung] * length));
            selector.sent(wire, wire * 20L, 0, wire);
            choices.add(decision.choice());
        }
        double share = (double) choices.subList(200, 400).stream()
                        .filter(choice -> choice.codec() == expected)
                        .count()
                / 200;
        assertTrue(share > 0.9, "share of " + expected + ": " + share);
    }

    /** Noise on a slow link, then text under the same name and look: what was right becomes wrong, and nothing but results tells. */
    @Test
    void leavesAChoiceThatHasBecomeBad() {
        SimData noise = exactly(Nature.RANDOM);
        SimData text = exactly(Nature.LOG);
        SimData disguised = new SimData(noise.look(), noise.name(), text.compress(), text.ratio(), text.decode());
        int change = BLOCKS / 4;
        List<Choice> choices = choices(link(100, 3, block -> block < change ? noise : disguised));
        double before = share(choices.subList(change / 2, change), Set.of(Choice.STORED));
        double after = share(choices.subList(change + BLOCKS / 10, BLOCKS), Set.of(Choice.STORED));
        assertTrue(before > 0.95, "settled on stored: " + before);
        assertTrue(after < 0.05, "still stored: " + after);
    }

    @ParameterizedTest
    @CsvSource({"155", "235", "600", "1500", "10000"})
    void noiseOnAFastLaneCostsHardlyMoreThanStoringIt(double mebibytes) {
        Situation situation = loopback(mebibytes, exactly(Nature.RANDOM));
        double auto = Simulation.run(situation, new Strategy.Auto(situation)).cpuSeconds();
        double stored = Simulation.run(situation, Strategy.fixed(Ladder.rung(Choice.STORED)))
                .cpuSeconds();
        assertTrue(auto <= 1.1 * stored, auto + " s of processor time, stored: " + stored + " s");
    }

    @Test
    void staysWithinItsBounds() {
        Random random = new Random(3);
        for (int min = 0; min <= AutoOptions.HIGHEST_LEVEL; min++) {
            for (int max = min; max <= AutoOptions.HIGHEST_LEVEL; max++) {
                int least = min;
                int most = max;
                Selector selector =
                        new Selector(new AutoOptions(min, max, 2, EnumSet.of(Codec.NONE, Codec.LZ4, Codec.ZSTD)));
                for (int i = 0; i < 60; i++) {
                    Decision decision = selector.choose(Look.values()[i % 5], 256 * 1024, null, i * 1_000_000L);
                    selector.compressed(decision, 1 + random.nextInt(256 * 1024), random.nextInt(100_000_000));
                    selector.sent(100_000, random.nextInt(1_000_000_000), 0, 0);
                    Choice choice = decision.choice();
                    int effort = choice.codec() == Codec.NONE ? 0 : Math.max(1, choice.level());
                    assertTrue(
                            effort >= least && effort <= most,
                            () -> choice + " for levels of " + least + " to " + most);
                }
            }
        }
    }

    @Test
    void usesOnlyCodecsThatWork() {
        Selector selector = new Selector(new AutoOptions(1, 19, 1, Set.of()));
        assertEquals(Choice.STORED, selector.choose(Look.TEXT, 1000, "a.txt", 0).choice());
    }

    @Test
    void boundsAreChecked() {
        assertThrows(IllegalArgumentException.class, () -> new AutoOptions(3, 2, 1, Set.of()));
        assertThrows(IllegalArgumentException.class, () -> new AutoOptions(-1, 2, 1, Set.of()));
        assertThrows(IllegalArgumentException.class, () -> new AutoOptions(0, 20, 1, Set.of()));
        assertThrows(IllegalArgumentException.class, () -> new AutoOptions(0));
    }

    @Test
    void reportCountsAndExplains() {
        Selector selector = new Selector(new AutoOptions(1, 1, 1, EnumSet.of(Codec.ZSTD)));
        assertEquals("nothing to choose", selector.report().describe());
        Decision decision = selector.choose(Look.TEXT, 200_000, "a.txt", 0);
        selector.compressed(decision, 50_000, 700_000);
        AutoReport report = selector.report();
        assertEquals(List.of(new Usage(Choice.zstd(1), 1, 200_000, 50_000, 700_000)), report.usages());
        assertTrue(report.describe().matches("zstd 1 on 100 % of the bytes; link [0-9.]+ MB/s"), report.describe());
    }
}
