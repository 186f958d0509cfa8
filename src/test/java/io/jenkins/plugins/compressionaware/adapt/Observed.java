package io.jenkins.plugins.compressionaware.adapt;

import java.util.function.BiConsumer;

/** A strategy, and somebody who looks at its choices. */
record Observed(Strategy inner, BiConsumer<Integer, Choice> observer) implements Strategy {
    @Override
    public int choose(int block, SimData data, int length, double now) {
        int choice = inner.choose(block, data, length, now);
        observer.accept(block, SimData.CHOICES.get(choice));
        return choice;
    }

    @Override
    public void compressed(int block, int wireLength, double nanos) {
        inner.compressed(block, wireLength, nanos);
    }

    @Override
    public void read(int rawLength, double nanos) {
        inner.read(rawLength, nanos);
    }

    @Override
    public void sent(int wireLength, double writeNanos, double heldNanos, double starvedNanos) {
        inner.sent(wireLength, writeNanos, heldNanos, starvedNanos);
    }

    @Override
    public void acknowledged(long totalWireBytes, double now) {
        inner.acknowledged(totalWireBytes, now);
    }

    @Override
    public void controller(double load, long rawBytes, double nanos) {
        inner.controller(load, rawBytes, nanos);
    }
}
