package io.jenkins.plugins.compressionaware.agent;

import hudson.remoting.RemoteOutputStream;
import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import java.io.IOException;
import jenkins.agents.ControllerToAgentCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Returns how far the agent's end of a transfer is, see {@link AgentEnd#stateOf}.
 *
 * @param echo closed after all data that the agent has sent so far, in the same order
 */
@Restricted(NoExternalUse.class)
public record TransferStateCallable(long id, RemoteOutputStream echo)
        implements ControllerToAgentCallable<long[], IOException> {
    @Override
    public long[] call() throws IOException {
        try (echo) {
            return AgentEnd.stateOf(id);
        }
    }
}
