package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import io.jenkins.plugins.compressionaware.engine.adaptive.BlockDecision;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecLevel;
import io.jenkins.plugins.compressionaware.engine.adaptive.CodecSelector;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/** What chooses in a simulated transfer: always the same, or the selector. */
interface ChoiceStrategy {
    /** One of {@link SimData#CHOICES}. */
    CodecLevel choose(int block, SimData data, int length);

    default void compressed(int block, int wireLength, double nanos) {}

    default void read(int rawLength, double nanos) {}

    default void sent(int wireLength, double writeNanos, double heldNanos, double starvedNanos) {}

    static ChoiceStrategy fixed(CodecLevel choice) {
        return (block, data, length) -> choice;
    }

    /** The selector under test. */
    final class Auto implements ChoiceStrategy {
        final CodecSelector selector;
        final List<CodecLevel> choices = new ArrayList<>();
        private final BlockDecision[] decisions;

        Auto(Scenario situation, int maxLevel) {
            selector =
                    new CodecSelector(0, maxLevel, situation.threads(), EnumSet.of(Codec.NONE, Codec.LZ4, Codec.ZSTD));
            selector.lanes(situation.lanes(), false);
            selector.roundTrip((long) situation.roundTrip());
            decisions = new BlockDecision[situation.blocks()];
        }

        @Override
        public CodecLevel choose(int block, SimData data, int length) {
            decisions[block] = selector.choose(data.look(), length, data.name());
            choices.add(decisions[block].choice());
            return decisions[block].choice();
        }

        @Override
        public void compressed(int block, int wireLength, double nanos) {
            selector.onCompressed(decisions[block], wireLength, (long) nanos);
            decisions[block] = null;
        }

        @Override
        public void read(int rawLength, double nanos) {
            selector.onRead(rawLength, (long) nanos);
        }

        @Override
        public void sent(int wireLength, double writeNanos, double heldNanos, double starvedNanos) {
            selector.onSent(new LaneWrite(wireLength, (long) writeNanos, (long) heldNanos, (long) starvedNanos));
        }
    }
}
