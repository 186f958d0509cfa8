package io.jenkins.plugins.compressionaware.adapt.simulation;

/** Runs one transfer in simulated time. */
final class Simulation {
    private Simulation() {}

    /**
     * @param seconds    from the first read to the last block unpacked
     * @param cpuSeconds of the threads on both machines
     */
    record Result(double seconds, double cpuSeconds, long wireBytes) {}

    static Result run(Situation situation, Strategy strategy) {
        Clock clock = new Clock();
        SimAgent agent = new SimAgent(situation, strategy, clock);
        SimLink link = new SimLink(situation, clock);
        SimController controller = new SimController(situation, clock, link);
        link.to(controller);
        for (int i = 0; i < situation.lanes(); i++) {
            agent.idle(new SimLane(situation, strategy, clock, link, agent));
        }
        agent.start();
        while (controller.finished() < 0) {
            if (!clock.step() || clock.now() > 1e15) {
                throw new IllegalStateException("The simulated pipeline is stuck: " + situation);
            }
        }
        double channel =
                2 * situation.channel() * controller.wireBytes() * (situation.agent() + situation.controller()) / 2;
        return new Result(
                controller.finished() / 1e9,
                (agent.busy() + controller.busy() + channel) / 1e9,
                controller.wireBytes());
    }
}
