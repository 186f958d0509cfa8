package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** The simulated network between agents and a controller: lines, a proxy, and the CPU time that channels and sealed requests need. */
final class SimNetwork {
    static final double LIMIT_NANOS = 10e9;
    static final int CONNECTIONS = 3;

    /** CPU nanoseconds per byte of a sealed request. */
    static final double REQUEST_COST = 1.5;

    /** CPU nanoseconds per byte of a channel, which does one write at a time. */
    private static final double CHANNEL_COST = 5;

    final SimClock clock = new SimClock();
    final SimLine directLine;
    final SimProxy proxy;
    private final LaneScenario scenario;
    private final SimLine channelLine;
    private final Map<Object, Double> channelCpu = new HashMap<>();

    SimNetwork(LaneScenario scenario) {
        this.scenario = scenario;
        SimLine link = new SimLine(clock, scenario.link());
        channelLine = scenario.channelLink() > 0 ? new SimLine(clock, scenario.channelLink()) : link;
        directLine = scenario.directLink() > 0 ? new SimLine(clock, scenario.directLink()) : link;
        proxy = new SimProxy(clock, scenario);
    }

    void halfTrip(Runnable arrived) {
        clock.after(scenario.roundTrip() / 2, arrived);
    }

    /** Writes to a channel. */
    void write(Object channel, int bytes, Runnable written) {
        double start = Math.max(clock.now(), channelCpu.getOrDefault(channel, 0.0));
        channelCpu.put(channel, start + CHANNEL_COST * bytes);
        clock.at(start + CHANNEL_COST * bytes, written);
    }

    /** Sends what was written to a channel. */
    void send(Object channel, int bytes, Runnable received) {
        channelLine.send(channel, bytes, () -> halfTrip(received));
    }

    /** Runs events while transfers run. */
    void runWhile(BooleanSupplier running) {
        while (running.getAsBoolean()) {
            if (!clock.step() || clock.now() > 1e14) {
                throw new IllegalStateException("The simulated transfer is stuck: " + scenario);
            }
        }
    }
}
