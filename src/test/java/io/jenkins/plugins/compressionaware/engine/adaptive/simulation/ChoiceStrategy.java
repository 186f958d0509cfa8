package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import io.jenkins.plugins.compressionaware.engine.adaptive.BlockDecision;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecSelector;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import java.util.ArrayList;
import java.util.List;

/** Chooses the codec level of each block in a simulated transfer. */
interface ChoiceStrategy {
    /** Returns one of {@link SimData#CHOICES}. */
    CodecLevel choose(int block, SimData data, int length);

    default void compressed(int block, int wireLength, double nanos) {}

    default void sent(int wireLength, double writeNanos, double creditWaitNanos, double frameWaitNanos) {}

    static ChoiceStrategy fixed(CodecLevel choice) {
        return (block, data, length) -> choice;
    }

    /** Uses the selector under test. */
    final class Auto implements ChoiceStrategy {
        final CodecSelector selector;
        final List<CodecLevel> choices = new ArrayList<>();
        private final BlockDecision[] decisions;

        Auto(Scenario scenario, int maxLevel) {
            selector = new CodecSelector(0, maxLevel, scenario.threads(), true, true);
            selector.lanes(scenario.lanes(), false);
            selector.roundTrip((long) scenario.roundTrip());
            decisions = new BlockDecision[scenario.blocks()];
        }

        @Override
        public CodecLevel choose(int block, SimData data, int length) {
            decisions[block] = selector.choose(data.contentClass(), length, data.name());
            choices.add(decisions[block].choice());
            return decisions[block].choice();
        }

        @Override
        public void compressed(int block, int wireLength, double nanos) {
            selector.onCompressed(decisions[block], wireLength, (long) nanos);
            decisions[block] = null;
        }

        @Override
        public void sent(int wireLength, double writeNanos, double creditWaitNanos, double frameWaitNanos) {
            selector.onSent(
                    new LaneWrite(wireLength, (long) writeNanos, (long) creditWaitNanos, (long) frameWaitNanos));
        }
    }
}
