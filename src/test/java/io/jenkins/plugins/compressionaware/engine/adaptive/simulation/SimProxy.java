package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

/** A simulated proxy that delays requests, and refuses those that would wait for too long. */
final class SimProxy {
    private final SimClock clock;
    private final LaneScenario scenario;
    private double free;

    SimProxy(SimClock clock, LaneScenario scenario) {
        this.clock = clock;
        this.scenario = scenario;
    }

    void pass(Runnable passed, Runnable refused) {
        double rate = scenario.requestsPerSecond() / 1e9;
        double slot = Math.max(clock.now(), free);
        if (rate == 0) {
            clock.after(scenario.requestDelay(), passed);
        } else if ((slot - clock.now()) * rate > scenario.burst()) {
            refused.run();
        } else {
            free = slot + 1 / rate;
            clock.at(slot + scenario.requestDelay(), passed);
        }
    }
}
