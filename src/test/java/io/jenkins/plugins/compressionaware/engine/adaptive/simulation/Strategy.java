package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import io.jenkins.plugins.compressionaware.engine.adaptive.Choice;
import io.jenkins.plugins.compressionaware.engine.adaptive.Decision;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import io.jenkins.plugins.compressionaware.engine.adaptive.Selector;
import io.jenkins.plugins.compressionaware.engine.codec.Codec;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/** What chooses in a simulated transfer: always the same, or the selector. */
interface Strategy {
    /** One of {@link SimData#CHOICES}. */
    Choice choose(int block, SimData data, int length);

    default void compressed(int block, int wireLength, double nanos) {}

    default void read(int rawLength, double nanos) {}

    default void sent(int wireLength, double writeNanos, double heldNanos, double starvedNanos) {}

    static Strategy fixed(Choice choice) {
        return (block, data, length) -> choice;
    }

    /** The selector under test. */
    final class Auto implements Strategy {
        final Selector selector;
        final List<Choice> choices = new ArrayList<>();
        private final Decision[] decisions;

        Auto(Situation situation, int maxLevel) {
            selector = new Selector(0, maxLevel, situation.threads(), EnumSet.of(Codec.NONE, Codec.LZ4, Codec.ZSTD));
            selector.lanes(situation.lanes(), false);
            selector.roundTrip((long) situation.roundTrip());
            decisions = new Decision[situation.blocks()];
        }

        @Override
        public Choice choose(int block, SimData data, int length) {
            decisions[block] = selector.choose(data.look(), length, data.name());
            choices.add(decisions[block].choice());
            return decisions[block].choice();
        }

        @Override
        public void compressed(int block, int wireLength, double nanos) {
            selector.compressed(decisions[block], wireLength, (long) nanos);
            decisions[block] = null;
        }

        @Override
        public void read(int rawLength, double nanos) {
            selector.read(rawLength, (long) nanos);
        }

        @Override
        public void sent(int wireLength, double writeNanos, double heldNanos, double starvedNanos) {
            selector.sent(new LaneWrite(wireLength, (long) writeNanos, (long) heldNanos, (long) starvedNanos));
        }
    }
}
