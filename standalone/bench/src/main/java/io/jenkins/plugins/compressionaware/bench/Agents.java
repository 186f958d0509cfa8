package io.jenkins.plugins.compressionaware.bench;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A place at each controller, and there an agent over each transport that stays and has worked before it is measured. */
final class Agents implements Closeable {
    /** A run of an agent. */
    interface Step {
        void of(AgentJvm agent, String way) throws IOException;
    }

    final List<NetworkSetup> places = new ArrayList<>();
    final List<AgentJvm> all = new ArrayList<>();

    /**
     * @param transports none if agents are to come later
     */
    Agents(List<RealJenkins> controllers, Condition condition, List<Transport> transports) throws IOException {
        for (RealJenkins controller : controllers) {
            NetworkSetup place = new NetworkSetup(controller, condition);
            places.add(place);
            for (Transport transport : transports) {
                all.add(new AgentJvm(place, transport, null));
            }
        }
    }

    /** Each way that each agent is to be measured in. */
    void each(List<String> ways, Step step) throws IOException {
        for (AgentJvm agent : all) {
            for (String way : agent.jenkins().measured(ways)) {
                step.of(agent, way);
            }
        }
    }

    @Override
    public void close() throws IOException {
        for (AgentJvm agent : all) {
            agent.close();
        }
        for (NetworkSetup place : places) {
            place.close();
        }
    }
}
