package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import io.jenkins.plugins.compressionaware.config.Exclusions;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.engine.run.SharedLimit;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import java.io.Closeable;
import java.io.PrintStream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The right of one transfer to run. At most {@link #MAX} transfers of an agent run at a time, because each needs heap that no limit can refuse. A transfer that
 * waits has opened nothing.
 */
@Restricted(NoExternalUse.class)
public final class AgentTurn implements Closeable {
    /** More than an agent with one network and one disk can use. */
    static final int MAX = 32;

    private static final SharedLimit RUNNING = new SharedLimit(Integer.MAX_VALUE, MAX);

    /** Null for a transfer that has no limit. */
    @CheckForNull
    private final String agent;

    private AgentTurn(@CheckForNull String agent) {
        this.agent = agent;
    }

    /**
     * Waits for the turn of a transfer from or to a workspace. Logs a wait in one line. Transfers of the controller and of excluded agents never wait. The
     * caller must close the turn.
     */
    public static AgentTurn await(FilePath workspace, PrintStream log) throws InterruptedException {
        boolean limited =
                workspace.isRemote() && !GlobalSettings.get().exclusions().excludesAgent(Exclusions.agentOf(workspace));
        return limited ? await(RunningTransfer.agentOf(workspace), log) : new AgentTurn(null);
    }

    static AgentTurn await(String agent, PrintStream log) throws InterruptedException {
        boolean acquired = RUNNING.tryAcquire(agent, 1);
        if (!acquired) {
            log.println(Messages.AgentTurn_waiting(MAX, agent));
        }
        while (!acquired) {
            RUNNING.await(agent);
            acquired = RUNNING.tryAcquire(agent, 1);
        }
        return new AgentTurn(agent);
    }

    @Override
    public void close() {
        if (agent != null) {
            RUNNING.release(agent, 1);
        }
    }
}
