package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.model.Run;
import io.jenkins.plugins.compressionaware.config.Exclusions;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.engine.run.SharedLimit;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import java.io.Closeable;
import java.io.PrintStream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The right of one transfer to run. At most {@link #MAX} transfers of an agent run at a time, because each needs heap that no limit can refuse. Half of them
 * may be of one job, so that its slow or hung transfers do not block other jobs. A transfer that waits has opened nothing.
 */
@Restricted(NoExternalUse.class)
public final class AgentTurn implements Closeable {
    /** More than an agent with one network and one disk can use. */
    static final int MAX = 32;

    static final int MAX_OF_JOB = MAX / 2;

    private static final SharedLimit RUNNING = new SharedLimit(Integer.MAX_VALUE, MAX);
    private static final SharedLimit OF_JOBS = new SharedLimit(Integer.MAX_VALUE, MAX_OF_JOB);

    /** Null for a transfer that has no limit. */
    @CheckForNull
    private final String agent;

    private final String jobOnAgent;

    private AgentTurn(@CheckForNull String agent, String jobOnAgent) {
        this.agent = agent;
        this.jobOnAgent = jobOnAgent;
    }

    /**
     * Waits for the turn of a transfer from or to a workspace, and logs the wait. Transfers of the controller and of excluded agents never wait. The caller
     * must close the turn.
     */
    public static AgentTurn await(Run<?, ?> build, FilePath workspace, PrintStream log) throws InterruptedException {
        boolean limited =
                workspace.isRemote() && !GlobalSettings.get().exclusions().excludesAgent(Exclusions.agentOf(workspace));
        return limited
                ? await(TransferInfo.agentOf(workspace), build.getParent().getFullName(), log)
                : new AgentTurn(null, "");
    }

    static AgentTurn await(String agent, String job, PrintStream log) throws InterruptedException {
        String jobOnAgent = agent + '\n' + job;
        acquire(OF_JOBS, jobOnAgent, Messages.AgentTurn_waiting(MAX_OF_JOB, agent), log);
        try {
            acquire(RUNNING, agent, Messages.AgentTurn_waiting(MAX, agent), log);
        } catch (InterruptedException e) {
            OF_JOBS.release(jobOnAgent, 1);
            throw e;
        }
        return new AgentTurn(agent, jobOnAgent);
    }

    private static void acquire(SharedLimit limit, String holder, String waiting, PrintStream log)
            throws InterruptedException {
        boolean acquired = limit.tryAcquire(holder, 1);
        if (!acquired) {
            log.println(waiting);
        }
        while (!acquired) {
            limit.await(holder);
            acquired = limit.tryAcquire(holder, 1);
        }
    }

    @Override
    public void close() {
        if (agent != null) {
            RUNNING.release(agent, 1);
            OF_JOBS.release(jobOnAgent, 1);
        }
    }
}
