package io.jenkins.plugins.compressionaware.bench;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Connects warm agents to each controller, one per transport. */
final class Agents implements Closeable {
    /** A measured step of an agent. */
    interface Step {
        void of(AgentJvm agent, String way) throws IOException;
    }

    final List<NetworkSetup> networks = new ArrayList<>();
    final List<AgentJvm> all = new ArrayList<>();

    /** @param transports empty if the caller starts agents later */
    Agents(List<RealJenkins> controllers, Condition condition, List<Transport> transports) throws IOException {
        this(controllers, condition, transports, condition.jvmOptions());
    }

    Agents(List<RealJenkins> controllers, Condition condition, List<Transport> transports, List<String> jvmOptions) throws IOException {
        for (RealJenkins controller : controllers) {
            NetworkSetup network = new NetworkSetup(controller, condition, jvmOptions);
            networks.add(network);
            for (Transport transport : transports) {
                all.add(new AgentJvm(network, transport, null, true));
            }
        }
    }

    /** Runs a step with each agent and each way that the agent's controller measures. */
    void each(List<String> ways, Step step) throws IOException {
        for (AgentJvm agent : all) {
            for (String way : agent.measured(ways)) {
                step.of(agent, way);
            }
        }
    }

    @Override
    public void close() throws IOException {
        for (AgentJvm agent : all) {
            agent.close();
        }
        for (NetworkSetup network : networks) {
            network.close();
        }
    }
}
