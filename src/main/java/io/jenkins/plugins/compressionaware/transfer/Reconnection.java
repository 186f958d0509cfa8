package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.model.Computer;
import hudson.remoting.Channel;
import hudson.remoting.VirtualChannel;
import hudson.slaves.OfflineCause;
import io.jenkins.plugins.compressionaware.agent.WorkspaceIdentityCallable;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.provisioning.AgentJar;
import io.jenkins.plugins.compressionaware.provisioning.UninterruptedCommand;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.Causes;
import io.jenkins.plugins.compressionaware.report.DelayedExecutor;
import io.jenkins.plugins.compressionaware.report.FigureFormat;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import jenkins.model.Jenkins;

/**
 * Waits for the agent of a transfer after its connection was lost, and checks that the agent has the same workspace then. The workspace is identified when the
 * transfer has run for a second, so that short transfers make no further call. Used by one thread.
 */
final class Reconnection {
    private static final int MAX_INTERRUPTIONS = 3;
    private static final int IDENTIFY_AFTER_SECONDS = 1;
    private static final long PAUSE_MILLIS = 200;

    private final RunningTransfer running;
    private final PrintStream log;
    private final int seconds;

    @CheckForNull
    private final Computer computer;

    private FilePath workspace;
    private volatile CompletableFuture<? extends Set<String>> query;

    Reconnection(FilePath workspace, RunningTransfer running, PrintStream log, TransferSettings settings) {
        this.workspace = workspace;
        this.running = running;
        this.log = log;
        seconds = settings.reconnectSeconds();
        // the test of an agent's speed does not wait; it names no agent
        computer = running.transfer().agent().isEmpty() ? null : workspace.toComputer();
        if (computer != null && seconds > 0) {
            // without a thread, a lost connection fails the transfer
            DelayedExecutor.schedule(IDENTIFY_AFTER_SECONDS, () -> identify(workspace), () -> {});
        }
    }

    private void identify(FilePath folder) {
        if (!running.isFinished()) {
            query = UninterruptedCommand.submit(folder.getChannel(), () -> {
                AgentJar.IDENTITY.preload(folder.getChannel());
                return folder.act(new WorkspaceIdentityCallable());
            });
        }
    }

    /** Returns the facts about the workspace; null if there are none. */
    @CheckForNull
    private Set<String> facts() {
        return query == null || !query.isDone() || query.isCompletedExceptionally() ? null : query.join();
    }

    /**
     * Waits for the agent to connect again, and returns the workspace over the new connection.
     *
     * @param failure failure of the transfer
     * @throws IOException the failure, if it is no lost connection, or if the agent or its workspace does not come back
     */
    FilePath await(IOException failure) throws IOException, InterruptedException {
        Set<String> before = facts();
        boolean lost = Causes.lostConnection(failure) != null && isLost();
        if (!lost || before == null || running.interruptions() == MAX_INTERRUPTIONS || !canReturn()) {
            throw failure;
        }
        String agent = running.transfer().agent();
        String done = FigureFormat.ofReader().bytes(running.completedBytes());
        log.println(Messages.Reconnection_waiting(agent, done, seconds));
        query = null;
        long start = System.nanoTime();
        while (canReturn() && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(seconds)) {
            Thread.sleep(PAUSE_MILLIS);
            VirtualChannel now = computer.getChannel();
            if (now != null && now != workspace.getChannel()) {
                workspace = new FilePath(now, workspace.getRemote());
                identify(workspace);
            } else if (query != null && query.isDone() && !isLost()) {
                if (facts() != null && WorkspaceIdentityCallable.isSame(before, facts())) {
                    running.recordInterruption();
                    return workspace;
                }
                log.println(BuildLogMessages.oneLine(Messages.Reconnection_other(agent, workspace.getRemote())));
                break;
            }
        }
        throw failure;
    }

    /** Returns whether the connection is closed, because an agent may lie about it. */
    private boolean isLost() {
        return workspace.getChannel() instanceof Channel remote && remote.isClosingOrClosed();
    }

    /** Returns false if the agent was removed or disconnected on purpose, or Jenkins stops. */
    private boolean canReturn() {
        boolean exists = computer.getNode() != null && Jenkins.get().getComputer(computer.getName()) == computer;
        boolean onPurpose = computer.getOfflineCause() instanceof OfflineCause.SimpleOfflineCause;
        return exists && (computer.isTemporarilyOffline() || !onPurpose) && !Jenkins.get().isTerminating();
    }
}
