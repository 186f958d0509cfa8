package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import io.jenkins.plugins.compressionaware.engine.adaptive.LaneBalance;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Simulates uploads over streams and direct lanes in simulated time. The frames are given; only the rule decides which lane gets which frame. */
final class LaneSimulation {
    private static final int MAX_BODY = 960 * 1024;
    private static final long DIRECT_FROM = 4 << 20;

    /** Frames that wait in the sender, as with four threads. */
    private static final int CAPACITY = 6;

    private final LaneScenario scenario;
    private final Rule rule;
    private final SimNetwork network;
    private final SimClock clock;
    private int running;
    private double finished;
    private long wire;

    enum Rule {
        STREAMS,
        /** While direct lanes work, streams get no frames. */
        BEFORE,
        BALANCED
    }

    /** @param wire bytes on all lanes */
    record Result(double seconds, long wire) {}

    private LaneSimulation(LaneScenario scenario, Rule rule) {
        this.scenario = scenario;
        this.rule = rule;
        network = new SimNetwork(scenario);
        clock = network.clock;
    }

    static Result run(LaneScenario scenario, Rule rule) {
        return new LaneSimulation(scenario, rule).run();
    }

    private Result run() {
        running = scenario.transfers();
        for (int i = 0; i < scenario.transfers(); i++) {
            new Transfer().produce();
        }
        network.runWhile(() -> running > 0);
        return new Result(finished / 1e9, wire);
    }

    /** One transfer: source, lanes and receiver. */
    private final class Transfer {
        private final Object channel = scenario.sharedChannel() ? "channel" : new Object();
        private final LaneBalance balance = new LaneBalance(scenario.streams(), MAX_BODY, SimNetwork.LIMIT_NANOS);
        private final Deque<Integer> queue = new ArrayDeque<>();
        private final Deque<Integer> returned = new ArrayDeque<>();
        private final Deque<Stream> idleStreams = new ArrayDeque<>();
        private final Deque<Object> idleDirect = new ArrayDeque<>();
        private final List<SimRequest> requests = new ArrayList<>();
        private final boolean[] arrived = new boolean[scenario.frames()];
        private int produced;
        private boolean sourceWaits;
        private int directLanes;
        private long confirmed;
        private boolean opened;
        private int next;
        private long sent;
        private long consumed;
        private long announced;
        private long granted = Credit.WINDOW;
        private boolean polling;
        private boolean over;

        Transfer() {
            balance.granted(granted, 0);
            for (int i = 0; i < scenario.streams(); i++) {
                idleStreams.add(new Stream());
            }
        }

        void produce() {
            if (produced == scenario.frames()) {
                return;
            }
            clock.after(scenario.frameNanos(), () -> {
                sourceWaits = queue.size() >= CAPACITY;
                if (!sourceWaits) {
                    enter();
                }
            });
        }

        private void enter() {
            queue.add(produced++);
            boolean needed = rule == Rule.BEFORE || rule == Rule.BALANCED && balance.needsDirect();
            if (!opened && needed && (long) produced * scenario.frameLength() >= DIRECT_FROM) {
                opened = true;
                clock.after(scenario.roundTrip() * 1.5, () -> network.proxy.pass(this::open, () -> {}));
            }
            produce();
            dispatch();
        }

        private void open() {
            directLanes = SimNetwork.CONNECTIONS;
            balance.setConnections(SimNetwork.CONNECTIONS);
            for (int i = 0; i < SimNetwork.CONNECTIONS; i++) {
                idleDirect.add(new Object());
            }
            dispatch();
        }

        private boolean hasCredit() {
            return sent + Credit.heapCost(scenario.frameLength()) <= granted;
        }

        private int take() {
            sent += Credit.heapCost(scenario.frameLength());
            int frame = queue.remove();
            if (sourceWaits) {
                sourceWaits = false;
                clock.after(0, this::enter);
            }
            return frame;
        }

        private void dispatch() {
            while (true) {
                if (!returned.isEmpty() && !idleStreams.isEmpty()) {
                    idleStreams.remove().send(returned.remove());
                    continue;
                }
                boolean starved = queue.isEmpty() ? produced == scenario.frames() : balance.isScarce(granted - sent);
                if (rule == Rule.BALANCED && !idleStreams.isEmpty() && starved && repeatOverdue()) {
                    continue;
                }
                boolean ready = !queue.isEmpty() && hasCredit();
                boolean direct = rule == Rule.BEFORE || balance.allowsDirect(requests.size(), clock.now());
                if (ready && direct && !idleDirect.isEmpty()) {
                    request(idleDirect.remove());
                    continue;
                }
                boolean streams = rule == Rule.BALANCED
                        ? SimRequest.allowsStreams(requests, balance, clock.now())
                        : directLanes == 0;
                if (ready && streams && !idleStreams.isEmpty()) {
                    idleStreams.remove().send(take());
                    continue;
                }
                break;
            }
            if (rule == Rule.BALANCED && opened && !polling && next < scenario.frames()) {
                polling = true;
                clock.after(Math.max(2e6, scenario.frameLength() / scenario.link() / 10), () -> {
                    polling = false;
                    dispatch();
                });
            }
        }

        private boolean repeatOverdue() {
            for (SimRequest request : requests) {
                if (!request.repeated && balance.isOverdue(request.bytes, clock.now() - request.start)) {
                    request.repeated = true;
                    returned.addAll(request.frames);
                    return true;
                }
            }
            return false;
        }

        private void request(Object connection) {
            List<Integer> frames = new ArrayList<>();
            int most = rule == Rule.BEFORE ? MAX_BODY : balance.body();
            int bytes = 0;
            do {
                frames.add(take());
                bytes += scenario.frameLength();
            } while (!queue.isEmpty()
                    && bytes + scenario.frameLength() <= most
                    && frames.size() < CAPACITY
                    && hasCredit());
            SimRequest request = new SimRequest(frames, bytes, clock.now(), connection);
            requests.add(request);
            wire += bytes;
            Runnable passed = () -> network.proxy.pass(() -> answered(request), () -> failed(request, false));
            Runnable sealed = () -> network.directLine.send(connection, request.bytes, () -> network.halfTrip(passed));
            clock.after(SimNetwork.REQUEST_COST * bytes, sealed);
            clock.after(SimNetwork.LIMIT_NANOS, () -> {
                if (!request.over) {
                    network.directLine.cancel(connection);
                    failed(request, true);
                }
            });
        }

        private void answered(SimRequest request) {
            if (request.over) {
                return;
            }
            boolean refused = scenario.refusedEvery() > 0
                    && request.frames.stream().anyMatch(f -> f % scenario.refusedEvery() == 0);
            if (refused) {
                network.halfTrip(() -> failed(request, false));
                return;
            }
            request.frames.forEach(this::arrived);
            network.halfTrip(() -> {
                if (!request.over) {
                    request.over = true;
                    requests.remove(request);
                    returned.removeAll(request.frames);
                    confirmed += request.bytes;
                    balance.delivered(request.bytes, clock.now() - request.start, request.repeated, clock.now());
                    idleDirect.add(request.connection);
                    dispatch();
                }
            });
        }

        private void failed(SimRequest request, boolean timedOut) {
            if (request.over) {
                return;
            }
            request.over = true;
            requests.remove(request);
            balance.failed(clock.now() - request.start, clock.now());
            if (!request.repeated) {
                returned.addAll(request.frames);
            }
            if (confirmed > 0 && (timedOut || scenario.refusedEvery() > 0)) {
                clock.after(SimNetwork.LIMIT_NANOS / 100, () -> {
                    idleDirect.add(new Object());
                    dispatch();
                });
            } else {
                directLanes--;
                balance.setConnections(directLanes);
            }
            dispatch();
        }

        private void arrived(int frame) {
            arrived[frame] = true;
            while (next < scenario.frames() && arrived[next]) {
                next++;
                consumed += Credit.heapCost(scenario.frameLength());
            }
            if (next == scenario.frames()) {
                running -= over ? 0 : 1;
                finished = over ? finished : clock.now();
                over = true;
                return;
            }
            if (consumed - announced >= (1 << (consumed < 1 << 20 ? 17 : 20))) {
                announced = consumed;
                long grant = consumed + Credit.WINDOW;
                network.halfTrip(() -> {
                    granted = Math.max(granted, grant);
                    balance.granted(granted, clock.now());
                    dispatch();
                });
            }
        }

        /** A stream: writes of 100 KiB, a window of 1 MiB. */
        private final class Stream {
            private static final int CHUNK = 100 * 1024;
            private int frame;
            private int done;
            private int unacknowledged;
            private double since;
            private double idleSince;
            private boolean waits;

            void send(int number) {
                frame = number;
                done = 0;
                since = clock.now();
                write();
            }

            private void write() {
                int n = Math.min(CHUNK, scenario.frameLength() - done);
                waits = unacknowledged + n > Credit.STREAM_WINDOW;
                if (waits) {
                    return;
                }
                unacknowledged += n;
                network.write(channel, n, () -> written(n));
            }

            private void written(int n) {
                done += n;
                wire += n;
                balance.streamWrote(n, clock.now() - since, since - idleSince);
                idleSince = clock.now();
                boolean last = done == scenario.frameLength();
                int number = frame;
                Runnable acknowledged = () -> {
                    unacknowledged -= n;
                    if (waits) {
                        write();
                    }
                };
                Runnable received = () -> {
                    if (last) {
                        arrived(number);
                    }
                    network.halfTrip(acknowledged);
                };
                network.send(channel, n, received);
                since = clock.now();
                if (last) {
                    idleStreams.add(this);
                    dispatch();
                } else {
                    write();
                }
            }
        }
    }
}
