package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import io.jenkins.plugins.compressionaware.engine.adaptive.LaneBalance;
import io.jenkins.plugins.compressionaware.engine.adaptive.simulation.LaneSimulation.Result;
import io.jenkins.plugins.compressionaware.engine.adaptive.simulation.LaneSimulation.Rule;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Simulates downloads over streams and direct lanes in simulated time. A frame of the scenario is a range, and its time is that of the consumer. The receiver
 * requests ranges; only the rule decides which lane requests which range.
 */
final class DownloadSimulation {
    static final int RANGE = 64 * 1024;
    private static final int MIN_RANGES = 4;
    private static final int RANGES_OF_STREAM = 8;
    private static final int SHARED_RANGES_OF_STREAM = 4;
    private static final int READ_AHEAD = 2 << 20;
    private static final int SHARED_READ_AHEAD = 1 << 20;
    private static final int MAX_BODY = 2 << 20;

    private final LaneScenario scenario;
    private final Rule rule;
    private final SimNetwork network;
    private final SimClock clock;
    private int running;
    private long wire;

    private DownloadSimulation(LaneScenario scenario, Rule rule) {
        this.scenario = scenario;
        this.rule = rule;
        network = new SimNetwork(scenario);
        clock = network.clock;
    }

    static Result run(LaneScenario scenario, Rule rule) {
        return new DownloadSimulation(scenario, rule).run();
    }

    private Result run() {
        running = scenario.transfers();
        for (int i = 0; i < scenario.transfers(); i++) {
            new Transfer().start();
        }
        network.runWhile(() -> running > 0);
        return new Result(clock.now() / 1e9, wire);
    }

    /** One transfer: lanes, receiver and consumer. */
    private final class Transfer {
        private final Object channel = scenario.sharedChannel() ? "channel" : new Object();
        private final LaneBalance balance = new LaneBalance(scenario.streams(), MAX_BODY, SimNetwork.LIMIT_NANOS);
        private final List<Stream> streams = new ArrayList<>();
        private final Deque<Integer> returned = new ArrayDeque<>();
        private final Deque<Object> idleDirect = new ArrayDeque<>();
        private final List<SimRequest> requests = new ArrayList<>();
        private final boolean[] arrived = new boolean[scenario.frames()];
        private int directLanes;
        private boolean confirmed;
        private int next;
        private int consumed;
        private boolean consuming;
        private boolean polling;

        void start() {
            for (int i = 0; i < scenario.streams(); i++) {
                streams.add(new Stream());
            }
            if (rule != Rule.STREAMS) {
                clock.after(scenario.roundTrip() * 1.5, () -> network.proxy.pass(this::open, () -> {}));
            }
            dispatch();
        }

        private void open() {
            directLanes = SimNetwork.CONNECTIONS;
            balance.setConnections(directLanes);
            for (int i = 0; i < directLanes; i++) {
                idleDirect.add(new Object());
            }
            dispatch();
        }

        /** Returns the number of ranges that a request may have. */
        private int available(int most) {
            int left = scenario.frames() - next;
            int count = Math.min(Math.min(most, consumed + Credit.WINDOW / RANGE - next), left);
            return count < Math.min(MIN_RANGES, left) ? 0 : count;
        }

        private List<Integer> take(int count) {
            List<Integer> ranges = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                ranges.add(next++);
            }
            return ranges;
        }

        private void dispatch() {
            streams.forEach(Stream::countWait);
            while (true) {
                returned.removeIf(range -> arrived[range]);
                Stream stream = readyStream();
                if (!returned.isEmpty() && stream != null) {
                    List<Integer> ranges = new ArrayList<>();
                    while (!returned.isEmpty() && ranges.size() < rangesOfStream()) {
                        ranges.add(returned.remove());
                    }
                    stream.request(ranges);
                    continue;
                }
                if (rule == Rule.BALANCED && stream != null && isUrgent() && repeatOverdue()) {
                    continue;
                }
                int body = rule == Rule.BEFORE ? MAX_BODY : balance.body();
                int count = available(Math.max(MIN_RANGES, body / RANGE));
                boolean direct = rule == Rule.BEFORE || balance.allowsDirect(requests.size(), clock.now());
                if (count > 0 && direct && !idleDirect.isEmpty()) {
                    request(idleDirect.remove(), take(count));
                    continue;
                }
                if (count > 0 && allowsStreams() && stream != null) {
                    stream.request(take(available(rangesOfStream())));
                    continue;
                }
                break;
            }
            boolean windowIsFull = next < scenario.frames() && available(MIN_RANGES) == 0 && allowsStreams();
            streams.forEach(stream -> stream.waits = windowIsFull && stream.pending.isEmpty());
            if (rule == Rule.BALANCED && directLanes > 0 && !polling && consumed < scenario.frames()) {
                polling = true;
                clock.after(Math.max(2e6, RANGE / scenario.link() / 10), () -> {
                    polling = false;
                    dispatch();
                });
            }
        }

        private boolean isUrgent() {
            boolean waiting = !consuming && consumed < next && !arrived[consumed];
            return waiting
                    || next == scenario.frames()
                    || balance.isScarce((long) (consumed - next) * RANGE + Credit.WINDOW);
        }

        /** Returns the stream with the fewest bytes outstanding; null if all have requested enough. */
        private Stream readyStream() {
            int readAhead = rule == Rule.BALANCED ? Math.min(SHARED_READ_AHEAD, balance.readAhead()) : READ_AHEAD;
            Stream ready = null;
            for (Stream stream : streams) {
                boolean fewer = ready == null || stream.outstanding < ready.outstanding;
                ready = fewer && stream.outstanding < readAhead ? stream : ready;
            }
            return ready;
        }

        private int rangesOfStream() {
            return rule == Rule.BALANCED ? SHARED_RANGES_OF_STREAM : RANGES_OF_STREAM;
        }

        private boolean allowsStreams() {
            return rule == Rule.BALANCED ? SimRequest.allowsStreams(requests, balance, clock.now()) : directLanes == 0;
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

        private void request(Object connection, List<Integer> ranges) {
            SimRequest request = new SimRequest(ranges, ranges.size() * RANGE, clock.now(), connection);
            requests.add(request);
            network.halfTrip(() -> network.proxy.pass(() -> answer(request), () -> failed(request, false)));
            clock.after(SimNetwork.LIMIT_NANOS, () -> {
                if (!request.over) {
                    network.directLine.cancel(connection);
                    failed(request, true);
                }
            });
        }

        private void answer(SimRequest request) {
            if (request.over) {
                return;
            }
            boolean refused = scenario.refusedEvery() > 0
                    && request.frames.stream().anyMatch(range -> range % scenario.refusedEvery() == 0);
            if (refused) {
                network.halfTrip(() -> failed(request, false));
                return;
            }
            for (int range : request.frames) {
                boolean last = range == request.frames.get(request.frames.size() - 1);
                clock.after(SimNetwork.REQUEST_COST * RANGE * (range - request.frames.get(0) + 1), () -> {
                    if (!request.over) {
                        Runnable received = () -> received(request, range, last);
                        network.directLine.send(request.connection, RANGE, () -> network.halfTrip(received));
                    }
                });
            }
        }

        private void received(SimRequest request, int range, boolean last) {
            wire += RANGE;
            if (request.over) {
                return;
            }
            confirmed = true;
            if (last) {
                request.over = true;
                requests.remove(request);
                balance.delivered(request.bytes, clock.now() - request.start, request.repeated, clock.now());
                idleDirect.add(request.connection);
            }
            arrived(range);
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
            if (confirmed && (timedOut || scenario.refusedEvery() > 0)) {
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

        private void arrived(int range) {
            arrived[range] = true;
            consume();
            dispatch();
        }

        private void consume() {
            if (consuming || consumed == scenario.frames() || !arrived[consumed]) {
                return;
            }
            consuming = true;
            clock.after(scenario.frameNanos(), () -> {
                consuming = false;
                consumed++;
                running -= consumed == scenario.frames() ? 1 : 0;
                balance.granted((long) consumed * RANGE, clock.now());
                consume();
                dispatch();
            });
        }

        /** A stream with both of its ends. The controller writes a range at a time. */
        private final class Stream {
            private final Deque<Integer> pending = new ArrayDeque<>();
            private final Deque<Integer> toWrite = new ArrayDeque<>();
            private int outstanding;
            private int unacknowledged;
            private boolean writing;
            private boolean waits;
            private double countedAt;
            private double waited;
            private double since;
            private int spanBytes;

            void countWait() {
                waited += waits ? clock.now() - countedAt : 0;
                countedAt = clock.now();
            }

            void request(List<Integer> ranges) {
                since = pending.isEmpty() ? clock.now() : since;
                waits = false;
                pending.add(ranges.size());
                outstanding += ranges.size() * RANGE;
                network.halfTrip(() -> {
                    toWrite.addAll(ranges);
                    write();
                });
            }

            private void write() {
                if (writing || toWrite.isEmpty() || unacknowledged + RANGE > Credit.STREAM_WINDOW) {
                    return;
                }
                writing = true;
                unacknowledged += RANGE;
                int range = toWrite.remove();
                network.write(channel, RANGE, () -> {
                    wire += RANGE;
                    network.send(channel, RANGE, () -> received(range));
                    writing = false;
                    write();
                });
            }

            private void received(int range) {
                network.halfTrip(() -> {
                    unacknowledged -= RANGE;
                    write();
                });
                outstanding -= RANGE;
                spanBytes += RANGE;
                if (spanBytes == pending.element() * RANGE) {
                    balance.streamWrote(spanBytes, clock.now() - since, waited);
                    pending.remove();
                    spanBytes = 0;
                    waited = 0;
                    since = clock.now();
                }
                arrived(range);
            }
        }
    }
}
