package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.adaptive.BlockDecision;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecSelector;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import io.jenkins.plugins.compressionaware.engine.adaptive.simulation.Scenario.Disturbance;
import io.jenkins.plugins.compressionaware.engine.adaptive.simulation.SimData.Nature;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs the selector in scenarios with an obvious right choice. */
class ClearCasesTest {
    private static final int BLOCKS = 2000;

    /** Returns a transfer within one machine, whose sending thread limits a lane to a rate in MiB/s. */
    private static Scenario loopback(double mebibytes, SimData data) {
        double channel = 1e9 / (mebibytes * (1 << 20));
        return link(100_000, channel, block -> data);
    }

    private static Scenario link(double megabits, double channel, IntFunction<SimData> data) {
        return new Scenario("one", megabits, 0.1e6, 1, 2, 1, 1, 0.5, 1, channel, BLOCKS, data, Disturbance.NONE, 1);
    }

    private static SimData exactly(Nature nature) {
        return nature.specimen(new Random(7));
    }

    /** Returns the choice for each block. */
    private static List<CodecLevel> choices(Scenario scenario) {
        ChoiceStrategy.Auto auto = new ChoiceStrategy.Auto(scenario, Codec.ZSTD.maxLevel());
        Simulation.run(scenario, auto);
        return auto.choices;
    }

    private static List<CodecLevel> lateChoices(Scenario scenario) {
        return choices(scenario).subList(BLOCKS / 4, BLOCKS);
    }

    private static double share(List<CodecLevel> choices, Set<CodecLevel> wanted) {
        return (double) choices.stream().filter(wanted::contains).count() / choices.size();
    }

    @ParameterizedTest
    @CsvSource({"235", "155", "1500"})
    void noiseOnLoopbackStaysUncompressed(double mebibytes) {
        double share = share(lateChoices(loopback(mebibytes, exactly(Nature.RANDOM))), Set.of(CodecLevel.UNCOMPRESSED));
        assertTrue(share > 0.95, "share of uncompressed: " + share);
    }

    @Test
    void fastLinkAvoidsStrongLevelsAndSlowLinkWeakOnes() {
        SimData text = exactly(Nature.TEXT);
        Set<CodecLevel> strong = Set.of(CodecLevel.zstd(6), CodecLevel.zstd(9), CodecLevel.zstd(15));
        double onFast = share(lateChoices(link(100_000, 0.6, block -> text)), strong);
        double onSlow = share(lateChoices(link(2, 3, block -> text)), strong);
        assertTrue(onFast < 0.05, "on a fast link: " + onFast);
        assertTrue(onSlow > 0.9, "on a slow link: " + onSlow);
    }

    /** Small requests look slow while all threads wait for the same processors, so CPU time per byte decides. */
    @ParameterizedTest
    @CsvSource({"true, true, true", "true, false, false", "false, true, false"})
    void requestsOnOneMachineSendTextUncompressed(boolean shared, boolean requests, boolean uncompressed) {
        SimData text = exactly(Nature.TEXT);
        CodecSelector selector = new CodecSelector(0, 19, 2, true, true);
        selector.sharedProcessors(shared ? 2 : 0);
        selector.lanes(3, requests);
        List<CodecLevel> choices = new ArrayList<>();
        for (int block = 0; block < 400; block++) {
            int length = 256 * 1024;
            BlockDecision decision = selector.choose(text.contentClass(), length, text.name());
            int index = SimData.CHOICES.indexOf(decision.choice());
            int wire = (int) (text.ratio()[index] * length);
            selector.onCompressed(decision, wire, (long) (text.compress()[index] * length));
            selector.onSent(new LaneWrite(wire, wire * 20L, 0, wire));
            choices.add(decision.choice());
        }
        double share = share(choices.subList(200, 400), Set.of(CodecLevel.UNCOMPRESSED));
        assertTrue(uncompressed ? share > 0.9 : share < 0.1, "share of uncompressed: " + share);
    }

    /** Noise on a slow link, then text with the same name and content class, so only results show the change. */
    @Test
    void leavesChoiceThatHasBecomeBad() {
        SimData noise = exactly(Nature.RANDOM);
        SimData text = exactly(Nature.LOG);
        SimData disguised =
                new SimData(noise.contentClass(), noise.name(), text.compress(), text.ratio(), text.decode());
        int change = BLOCKS / 4;
        List<CodecLevel> choices = choices(link(100, 3, block -> block < change ? noise : disguised));
        double before = share(choices.subList(change / 2, change), Set.of(CodecLevel.UNCOMPRESSED));
        double after = share(choices.subList(change + BLOCKS / 10, BLOCKS), Set.of(CodecLevel.UNCOMPRESSED));
        assertTrue(before > 0.95, "settled on uncompressed: " + before);
        assertTrue(after < 0.05, "still uncompressed: " + after);
    }

    @ParameterizedTest
    @CsvSource({"155", "235", "600", "1500", "10000"})
    void noiseOnFastLaneCostsHardlyMoreThanUncompressed(double mebibytes) {
        Scenario scenario = loopback(mebibytes, exactly(Nature.RANDOM));
        double auto = Simulation.run(scenario, new ChoiceStrategy.Auto(scenario, Codec.ZSTD.maxLevel()))
                .cpuSeconds();
        double uncompressed = Simulation.run(scenario, ChoiceStrategy.fixed(CodecLevel.UNCOMPRESSED))
                .cpuSeconds();
        assertTrue(auto <= 1.1 * uncompressed, auto + " s of CPU time, uncompressed: " + uncompressed + " s");
    }
}
