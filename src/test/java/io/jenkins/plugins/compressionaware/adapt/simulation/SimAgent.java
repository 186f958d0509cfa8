package io.jenkins.plugins.compressionaware.adapt.simulation;

import io.jenkins.plugins.compressionaware.adapt.simulation.Situation.Disturbance.What;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;

/** The simulated agent: reader, compress threads, the queue in order, and one sending thread per lane. */
final class SimAgent {
    /** Frame header and checksum, bytes. */
    private static final int HEADER = 40;

    private final Situation situation;
    private final Strategy strategy;
    private final Clock clock;
    private final Deque<SimLane> idleLanes = new ArrayDeque<>();
    private final Deque<SimBlock> inOrder = new ArrayDeque<>();
    private final Deque<SimBlock> toCompress = new ArrayDeque<>();
    private int idleThreads;
    private int nextToRead;
    private SimBlock waitingToEnter;
    private double busy;

    SimAgent(Situation situation, Strategy strategy, Clock clock) {
        this.situation = situation;
        this.strategy = strategy;
        this.clock = clock;
        idleThreads = situation.threads();
    }

    void start() {
        readNext();
    }

    private void readNext() {
        if (nextToRead == situation.blocks()) {
            return;
        }
        SimBlock block = new SimBlock(nextToRead, situation.data().apply(nextToRead));
        nextToRead++;
        double took = situation.read() * Situation.BLOCK * slowness(block);
        clock.after(took, () -> {
            busy += took;
            strategy.read(Situation.BLOCK, took);
            waitingToEnter = block;
            toCompress.add(block);
            compressNext();
            enter();
        });
    }

    // as in BlockPipeline: the task is given to the threads, then the caller waits for room in the queue
    private void enter() {
        if (waitingToEnter != null && inOrder.size() < situation.threads() + 2) {
            inOrder.add(waitingToEnter);
            waitingToEnter = null;
            readNext();
            feed();
        }
    }

    private void compressNext() {
        if (idleThreads == 0 || toCompress.isEmpty()) {
            return;
        }
        idleThreads--;
        SimBlock block = toCompress.remove();
        int choice = SimData.CHOICES.indexOf(strategy.choose(block.number, block.data, Situation.BLOCK));
        Random random = new Random(situation.seed() * 31 + block.number * 1009L);
        double density = Math.exp(0.08 * random.nextGaussian());
        double effort = Math.exp(0.12 * random.nextGaussian());
        block.decode = block.data.decode()[choice];
        double ratio = block.data.ratio()[choice];
        block.wireLength = HEADER + (int) (Situation.BLOCK * (ratio > 0.999 ? ratio : Math.min(1, ratio * density)));
        double took = block.data.compress()[choice] * Situation.BLOCK * effort * slowness(block);
        clock.after(took, () -> {
            idleThreads++;
            busy += took;
            block.compressed = true;
            strategy.compressed(block.number, block.wireLength, took);
            compressNext();
            feed();
        });
    }

    /** Nanoseconds of the reading and compressing threads. */
    double busy() {
        return busy;
    }

    private double slowness(SimBlock block) {
        double progress = (double) block.number / situation.blocks();
        return situation.agent() * situation.disturbance().factor(What.AGENT, progress);
    }

    void idle(SimLane lane) {
        idleLanes.add(lane);
        feed();
    }

    private void feed() {
        while (!idleLanes.isEmpty() && !inOrder.isEmpty() && inOrder.element().compressed) {
            SimBlock next = inOrder.remove();
            idleLanes.remove().take(next);
            enter();
        }
    }
}
