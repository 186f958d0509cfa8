package io.jenkins.plugins.compressionaware.adapt.simulation;

import io.jenkins.plugins.compressionaware.adapt.simulation.Situation.Disturbance.What;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/** The simulated controller: two threads decode up to three blocks ahead, one unpacks in order. */
final class SimController {
    private static final int AHEAD = 3;
    private static final int DECODERS = 2;

    private final Situation situation;
    private final Clock clock;
    private final SimLink link;
    private final Map<Integer, SimBlock> arrived = new HashMap<>();
    private final Deque<SimBlock> ahead = new ArrayDeque<>();
    private final Deque<SimBlock> toDecode = new ArrayDeque<>();
    private int next;
    private int idleDecoders = DECODERS;
    private boolean unpacking;
    private int unpacked;
    private double finished = -1;
    private double busy;
    private long wire;

    SimController(Situation situation, Clock clock, SimLink link) {
        this.situation = situation;
        this.clock = clock;
        this.link = link;
    }

    void arrived(SimBlock block) {
        arrived.put(block.number, block);
        proceed();
    }

    private void proceed() {
        while (ahead.size() < AHEAD && arrived.containsKey(next)) {
            SimBlock block = arrived.remove(next++);
            ahead.add(block);
            toDecode.add(block);
        }
        while (idleDecoders > 0 && !toDecode.isEmpty()) {
            decode(toDecode.remove());
        }
        if (!unpacking && !ahead.isEmpty() && ahead.element().decoded) {
            unpack(ahead.remove());
            proceed();
        }
    }

    private void decode(SimBlock block) {
        idleDecoders--;
        double took = block.decode * Situation.BLOCK * slowness(block);
        clock.after(took, () -> {
            busy += took;
            idleDecoders++;
            block.decoded = true;
            proceed();
        });
    }

    private void unpack(SimBlock block) {
        unpacking = true;
        wire += block.wireLength;
        link.consumed(wire);
        double took = situation.unpack() * Situation.BLOCK * slowness(block);
        clock.after(took, () -> {
            busy += took;
            unpacking = false;
            unpacked++;
            finished = unpacked == situation.blocks() ? clock.now() : -1;
            proceed();
        });
    }

    private double slowness(SimBlock block) {
        double progress = (double) block.number / situation.blocks();
        return situation.controller() * situation.disturbance().factor(What.CONTROLLER, progress);
    }

    /** Nanoseconds of all threads. */
    double busy() {
        return busy;
    }

    long wireBytes() {
        return wire;
    }

    /** When the last block was unpacked, nanoseconds; negative before. */
    double finished() {
        return finished;
    }
}
