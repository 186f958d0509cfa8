package io.jenkins.plugins.compressionaware.agent;

import io.jenkins.plugins.compressionaware.engine.lane.AgentEnd;
import jenkins.agents.ControllerToAgentCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Returns how far the agent's end of a transfer is, see {@link AgentEnd#stateOf}. */
@Restricted(NoExternalUse.class)
public record TransferStateCallable(long id) implements ControllerToAgentCallable<long[], RuntimeException> {
    @Override
    public long[] call() {
        return AgentEnd.stateOf(id);
    }
}
