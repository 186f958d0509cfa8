package io.jenkins.plugins.compressionaware.agent;

import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import jenkins.agents.ControllerToAgentCallable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Interrupts the agent's end of a transfer, see {@link AgentEnd#cancel}. */
@Restricted(NoExternalUse.class)
public record CancelTransferCallable(long id) implements ControllerToAgentCallable<Void, RuntimeException> {
    @Override
    public Void call() {
        AgentEnd.cancel(id);
        return null;
    }
}
