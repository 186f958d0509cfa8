package io.jenkins.plugins.compressionaware.adapt.simulation;

/** A simulated sending thread: waits for a frame, for credit, for the window, and spends time on each byte it writes. */
final class SimLane {
    private static final int CHUNK = 100 * 1024;
    private static final int WINDOW = 1 << 20;

    private final Situation situation;
    private final Strategy strategy;
    private final Clock clock;
    private final SimLink link;
    private final SimAgent agent;
    private SimBlock block;
    private int done;
    private int underWay;
    private double idleSince;
    private double starved;
    private double since;
    private double held;
    private boolean waitsForWindow;

    SimLane(Situation situation, Strategy strategy, Clock clock, SimLink link, SimAgent agent) {
        this.situation = situation;
        this.strategy = strategy;
        this.clock = clock;
        this.link = link;
        this.agent = agent;
    }

    void take(SimBlock next) {
        block = next;
        done = 0;
        starved = clock.now() - idleSince;
        since = clock.now();
        link.awaitCredit(next.wireLength, () -> {
            held = clock.now() - since;
            nextChunk();
        });
    }

    private void nextChunk() {
        since = clock.now();
        awaitWindow();
    }

    private int chunk() {
        return Math.min(CHUNK, block.wireLength - done);
    }

    private void awaitWindow() {
        waitsForWindow = underWay + chunk() > WINDOW;
        if (!waitsForWindow) {
            underWay += chunk();
            clock.after(situation.channel() * situation.agent() * chunk(), this::written);
        }
    }

    private void written() {
        int length = chunk();
        done += length;
        strategy.sent(length, clock.now() - since, held, starved);
        starved = 0;
        held = 0;
        boolean last = done == block.wireLength;
        link.transmit(block, length, last, () -> {
            underWay -= length;
            if (waitsForWindow) {
                awaitWindow();
            }
        });
        if (last) {
            idleSince = clock.now();
            agent.idle(this);
        } else {
            nextChunk();
        }
    }
}
