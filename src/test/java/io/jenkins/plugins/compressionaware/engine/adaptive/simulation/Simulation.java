package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import io.jenkins.plugins.compressionaware.engine.adaptive.simulation.Scenario.Disturbance.Target;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;

/** Simulates one transfer in simulated time: a pipeline like the plugin's, whose stages take the time that the scenario defines. */
final class Simulation {
    private final Scenario scenario;
    private final ChoiceStrategy strategy;
    private final SimClock clock = new SimClock();
    private final Link link = new Link();
    private final Agent agent = new Agent();
    private final Controller controller = new Controller();

    /**
     * @param seconds    from the first read to the last block unpacked
     * @param cpuSeconds of the threads on both machines
     */
    record Result(double seconds, double cpuSeconds, long wireBytes) {}

    private Simulation(Scenario scenario, ChoiceStrategy strategy) {
        this.scenario = scenario;
        this.strategy = strategy;
        agent.idleThreads = scenario.threads();
    }

    static Result run(Scenario scenario, ChoiceStrategy strategy) {
        return new Simulation(scenario, strategy).run();
    }

    private Result run() {
        for (int i = 0; i < scenario.lanes(); i++) {
            agent.idle(new Lane());
        }
        agent.readNext();
        while (controller.finished < 0) {
            if (!clock.step() || clock.now() > 1e15) {
                throw new IllegalStateException("The simulated pipeline is stuck: " + scenario);
            }
        }
        double channel = 2 * scenario.channel() * controller.wire * (scenario.agent() + scenario.controller()) / 2;
        return new Result(controller.finished / 1e9, (agent.busy + controller.busy + channel) / 1e9, controller.wire);
    }

    private double slowness(Target where, Block block) {
        double progress = (double) block.number / scenario.blocks();
        return scenario.disturbance().factor(where, progress);
    }

    /** A block in the simulated pipeline. */
    private static final class Block {
        final int number;
        final SimData data;
        int wireLength;

        /** Nanoseconds per raw byte. */
        double decode;

        boolean compressed;
        boolean decoded;

        Block(int number, SimData data) {
            this.number = number;
            this.data = data;
        }
    }

    /** The simulated agent: reader, compressing threads, ordered queue, and one sending thread per lane. */
    private final class Agent {
        /** Frame header and checksum, bytes. */
        private static final int HEADER = 40;

        private final Deque<Lane> idleLanes = new ArrayDeque<>();
        private final Deque<Block> inOrder = new ArrayDeque<>();
        private final Deque<Block> toCompress = new ArrayDeque<>();
        private int idleThreads;
        private int nextToRead;
        private Block waitingToEnter;

        /** Nanoseconds of the reading and compressing threads. */
        private double busy;

        private void readNext() {
            if (nextToRead == scenario.blocks()) {
                return;
            }
            Block block = new Block(nextToRead, scenario.data().apply(nextToRead));
            nextToRead++;
            double took = scenario.read() * Scenario.BLOCK * scenario.agent() * slowness(Target.AGENT, block);
            clock.after(took, () -> {
                busy += took;
                waitingToEnter = block;
                toCompress.add(block);
                compressNext();
                enter();
            });
        }

        // like the real compressor: hands the task to the threads, then waits for space in the queue
        private void enter() {
            if (waitingToEnter != null && inOrder.size() < scenario.threads() + 2) {
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
            Block block = toCompress.remove();
            int choice = SimData.CHOICES.indexOf(strategy.choose(block.number, block.data, Scenario.BLOCK));
            Random random = new Random(scenario.seed() * 31 + block.number * 1009L);
            double density = Math.exp(0.08 * random.nextGaussian());
            double effort = Math.exp(0.12 * random.nextGaussian());
            block.decode = block.data.decode()[choice];
            double ratio = block.data.ratio()[choice];
            block.wireLength = HEADER + (int) (Scenario.BLOCK * (ratio > 0.999 ? ratio : Math.min(1, ratio * density)));
            double took = block.data.compress()[choice]
                    * Scenario.BLOCK
                    * effort
                    * scenario.agent()
                    * slowness(Target.AGENT, block);
            clock.after(took, () -> {
                idleThreads++;
                busy += took;
                block.compressed = true;
                strategy.compressed(block.number, block.wireLength, took);
                compressNext();
                feed();
            });
        }

        void idle(Lane lane) {
            idleLanes.add(lane);
            feed();
        }

        private void feed() {
            while (!idleLanes.isEmpty() && !inOrder.isEmpty() && inOrder.element().compressed) {
                Block next = inOrder.remove();
                idleLanes.remove().send(next);
                enter();
            }
        }
    }

    /** A simulated sending thread. Waits for a frame, for credit and for the window, and needs CPU time for each byte. */
    private final class Lane {
        private static final int CHUNK = 100 * 1024;
        private static final int WINDOW = 1 << 20;

        private Block block;
        private int done;
        private int inFlight;
        private double idleSince;
        private double frameWait;
        private double since;
        private double creditWait;
        private boolean waitsForWindow;

        void send(Block next) {
            block = next;
            done = 0;
            frameWait = clock.now() - idleSince;
            since = clock.now();
            link.awaitCredit(next.wireLength, () -> {
                creditWait = clock.now() - since;
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
            waitsForWindow = inFlight + chunk() > WINDOW;
            if (!waitsForWindow) {
                inFlight += chunk();
                clock.after(scenario.channel() * scenario.agent() * chunk(), this::written);
            }
        }

        private void written() {
            int length = chunk();
            done += length;
            strategy.sent(length, clock.now() - since, creditWait, frameWait);
            frameWait = 0;
            creditWait = 0;
            boolean last = done == block.wireLength;
            link.transmit(block, length, last, () -> {
                inFlight -= length;
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

    /** The simulated network, shared by all lanes, and the credit that the receiver grants to frames in their order. */
    private final class Link {
        private static final long CREDIT = 16 << 20;

        /** The receiver grants credit once per this many consumed bytes, and more often at the start. */
        private static final long GRANT_INTERVAL = 1 << 20;

        private static final long EARLY_GRANT_INTERVAL = GRANT_INTERVAL / 8;

        private final Deque<Waiting> waiting = new ArrayDeque<>();
        private double free;
        private long sent;
        private long consumed;
        private long announced;

        private record Waiting(int length, Runnable granted) {}

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

        void transmit(Block block, int length, boolean last, Runnable acknowledged) {
            double nanos = length / scenario.bandwidth() * slowness(Target.LINK, block);
            free = Math.max(free, clock.now()) + nanos;
            double arrival = free + scenario.roundTrip() / 2;
            if (last) {
                clock.at(arrival, () -> controller.arrived(block));
            }
            clock.at(arrival + scenario.roundTrip() / 2, acknowledged);
        }

        /**
         * Records that the receiver unpacks a frame.
         *
         * @param total wire bytes consumed since the start
         */
        void consumed(long total) {
            if (total - announced < (total <= GRANT_INTERVAL ? EARLY_GRANT_INTERVAL : GRANT_INTERVAL)) {
                return;
            }
            announced = total;
            clock.after(scenario.roundTrip() / 2, () -> {
                consumed = total;
                grant();
            });
        }
    }

    /** The simulated controller: two threads decode up to three blocks ahead, and one unpacks them in order. */
    private final class Controller {
        private static final int READ_AHEAD_BLOCKS = 3;
        private static final int DECODERS = 2;

        private final Map<Integer, Block> arrived = new HashMap<>();
        private final Deque<Block> ahead = new ArrayDeque<>();
        private final Deque<Block> toDecode = new ArrayDeque<>();
        private int next;
        private int idleDecoders = DECODERS;
        private boolean unpacking;
        private int unpacked;

        /** Time when the last block was unpacked, nanoseconds; negative before. */
        private double finished = -1;

        /** Nanoseconds of all threads. */
        private double busy;

        private long wire;

        void arrived(Block block) {
            arrived.put(block.number, block);
            proceed();
        }

        private void proceed() {
            while (ahead.size() < READ_AHEAD_BLOCKS && arrived.containsKey(next)) {
                Block block = arrived.remove(next++);
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

        private void decode(Block block) {
            idleDecoders--;
            double took = block.decode * Scenario.BLOCK * scenario.controller() * slowness(Target.CONTROLLER, block);
            clock.after(took, () -> {
                busy += took;
                idleDecoders++;
                block.decoded = true;
                proceed();
            });
        }

        private void unpack(Block block) {
            unpacking = true;
            wire += block.wireLength;
            link.consumed(wire);
            double took =
                    scenario.unpack() * Scenario.BLOCK * scenario.controller() * slowness(Target.CONTROLLER, block);
            clock.after(took, () -> {
                busy += took;
                unpacking = false;
                unpacked++;
                finished = unpacked == scenario.blocks() ? clock.now() : -1;
                proceed();
            });
        }
    }
}
