package io.jenkins.plugins.compressionaware.adapt.simulation;

import io.jenkins.plugins.compressionaware.adapt.simulation.Situation.Disturbance.What;
import java.util.ArrayDeque;
import java.util.Deque;

/** The simulated network, shared by all lanes, and the credit that the receiver grants to frames in their order. */
final class SimLink {
    private static final long CREDIT = 16 << 20;

    /** The receiver speaks once per so many consumed bytes, and more often at the start. */
    private static final long STEP = 1 << 20;

    private static final long EARLY_STEP = STEP / 8;

    private final Situation situation;
    private final Clock clock;
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    private SimController controller;
    private double free;
    private long sent;
    private long consumed;
    private long told;

    private record Waiting(int length, Runnable granted) {}

    SimLink(Situation situation, Clock clock) {
        this.situation = situation;
        this.clock = clock;
    }

    void to(SimController receiver) {
        controller = receiver;
    }

    void awaitCredit(int length, Runnable granted) {
        waiting.add(new Waiting(length, granted));
        grant();
    }

    private void grant() {
        while (!waiting.isEmpty() && sent + waiting.element().length - consumed <= CREDIT) {
            Waiting next = waiting.remove();
            sent += next.length;
            next.granted.run();
        }
    }

    void transmit(SimBlock block, int length, boolean last, Runnable acknowledged) {
        double progress = (double) block.number / situation.blocks();
        double nanos = length / situation.bandwidth() * situation.disturbance().factor(What.LINK, progress);
        free = Math.max(free, clock.now()) + nanos;
        double arrival = free + situation.roundTrip() / 2;
        if (last) {
            clock.at(arrival, () -> controller.arrived(block));
        }
        clock.at(arrival + situation.roundTrip() / 2, acknowledged);
    }

    /** The receiver has begun to unpack a frame, and so many wire bytes in all. */
    void consumed(long total) {
        if (total - told < (total <= STEP ? EARLY_STEP : STEP)) {
            return;
        }
        told = total;
        clock.after(situation.roundTrip() / 2, () -> {
            consumed = total;
            grant();
        });
    }
}
