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
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the selector does in transfers that leave no doubt about what is right. */
class ClearCasesTest {
    private static final int BLOCKS = 2000;

    /** One machine, so nothing is slowed down: what a lane carries (MiB/s) is its own thread's time. */
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

    /** What each block was given. */
    private static List<CodecLevel> choices(Scenario situation) {
        ChoiceStrategy.Auto auto = new ChoiceStrategy.Auto(situation, Codec.ZSTD.maxLevel());
        Simulation.run(situation, auto);
        return auto.choices;
    }

    private static List<CodecLevel> lateChoices(Scenario situation) {
        return choices(situation).subList(BLOCKS / 4, BLOCKS);
    }

    private static double share(List<CodecLevel> choices, Set<CodecLevel> wanted) {
        return (double) choices.stream().filter(wanted::contains).count() / choices.size();
    }

    @ParameterizedTest
    @CsvSource({"235", "155", "1500"})
    void noiseOnLoopbackIsStored(double mebibytes) {
        double share = share(lateChoices(loopback(mebibytes, exactly(Nature.RANDOM))), Set.of(CodecLevel.UNCOMPRESSED));
        assertTrue(share > 0.95, "share of stored: " + share);
    }

    @Test
    void aFastLinkNeverGetsAStrongLevelAndASlowOneNeverAWeakOne() {
        SimData text = exactly(Nature.TEXT);
        Set<CodecLevel> strong = Set.of(CodecLevel.zstd(6), CodecLevel.zstd(9), CodecLevel.zstd(15));
        double onFast = share(lateChoices(link(100_000, 0.6, block -> text)), strong);
        double onSlow = share(lateChoices(link(2, 3, block -> text)), strong);
        assertTrue(onFast < 0.05, "on a fast link: " + onFast);
        assertTrue(onSlow > 0.9, "on a slow link: " + onSlow);
    }

    /** Small requests look slow while all wait for the same processors; what counts is what the processors are needed for. */
    @ParameterizedTest
    @CsvSource({"true, true, true", "true, false, false", "false, true, false"})
    void requestsOnOneMachineCarryTextAsItIs(boolean shared, boolean requests, boolean stored) {
        SimData text = exactly(Nature.TEXT);
        CodecSelector selector = new CodecSelector(0, 19, 2, EnumSet.allOf(Codec.class));
        selector.sharedProcessors(shared ? 2 : 0);
        selector.lanes(3, requests);
        List<CodecLevel> choices = new ArrayList<>();
        for (int block = 0; block < 400; block++) {
            int length = 256 * 1024;
            BlockDecision decision = selector.choose(text.look(), length, text.name());
            int index = SimData.CHOICES.indexOf(decision.choice());
            int wire = (int) (text.ratio()[index] * length);
            selector.onRead(length, length);
            selector.onCompressed(decision, wire, (long) (text.compress()[index] * length));
            selector.onSent(new LaneWrite(wire, wire * 20L, 0, wire));
            choices.add(decision.choice());
        }
        double share = share(choices.subList(200, 400), Set.of(CodecLevel.UNCOMPRESSED));
        assertTrue(stored ? share > 0.9 : share < 0.1, "share of stored: " + share);
    }

    /** Noise on a slow link, then text under the same name and look: what was right becomes wrong, and nothing but results tells. */
    @Test
    void leavesAChoiceThatHasBecomeBad() {
        SimData noise = exactly(Nature.RANDOM);
        SimData text = exactly(Nature.LOG);
        SimData disguised = new SimData(noise.look(), noise.name(), text.compress(), text.ratio(), text.decode());
        int change = BLOCKS / 4;
        List<CodecLevel> choices = choices(link(100, 3, block -> block < change ? noise : disguised));
        double before = share(choices.subList(change / 2, change), Set.of(CodecLevel.UNCOMPRESSED));
        double after = share(choices.subList(change + BLOCKS / 10, BLOCKS), Set.of(CodecLevel.UNCOMPRESSED));
        assertTrue(before > 0.95, "settled on stored: " + before);
        assertTrue(after < 0.05, "still stored: " + after);
    }

    @ParameterizedTest
    @CsvSource({"155", "235", "600", "1500", "10000"})
    void noiseOnAFastLaneCostsHardlyMoreThanStoringIt(double mebibytes) {
        Scenario situation = loopback(mebibytes, exactly(Nature.RANDOM));
        double auto = Simulation.run(situation, new ChoiceStrategy.Auto(situation, Codec.ZSTD.maxLevel()))
                .cpuSeconds();
        double stored = Simulation.run(situation, ChoiceStrategy.fixed(CodecLevel.UNCOMPRESSED))
                .cpuSeconds();
        assertTrue(auto <= 1.1 * stored, auto + " s of CPU time, stored: " + stored + " s");
    }
}
