package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.Nullable;
import hudson.FilePath;
import hudson.model.Computer;
import hudson.remoting.Channel;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.agent.WorkspaceIdentityCallable;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.engine.flow.RangeRequest;
import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import io.jenkins.plugins.compressionaware.provisioning.AgentInfo;
import io.jenkins.plugins.compressionaware.provisioning.AgentJar;
import io.jenkins.plugins.compressionaware.provisioning.UninterruptedCommand;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.Causes;
import io.jenkins.plugins.compressionaware.report.DelayedExecutor;
import io.jenkins.plugins.compressionaware.report.FigureFormat;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.Work;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import jenkins.model.Jenkins;

/**
 * Waits for the agent of a transfer after its connection was lost, and checks that the agent has the same workspace then. The workspace is identified when the
 * engine starts, or during bootstrap calls after a second, so that short ones need no further call. Used by one thread, and by a timer.
 */
final class Reconnection {
    private static final int MAX_INTERRUPTIONS = 3;
    private static final int IDENTIFY_AFTER_SECONDS = 1;
    private static final long PAUSE_MILLIS = 200;
    private static final int MAX_FACTS = 100;
    private static final int MAX_FACT_LENGTH = 1000;
    /** Classes of core that disconnect an agent because a ping failed, or because the agent connects again. All others disconnect it on purpose. */
    private static final Pattern AUTOMATIC = Pattern.compile("\\.(ChannelPinger|DefaultJnlpSlaveReceiver)\\b");

    private final RunningTransfer running;
    private final PrintStream log;
    private final int seconds;

    @Nullable
    private final Computer computer;

    private final int terminations;

    /** The workspace over the latest connection. */
    volatile FilePath workspace;

    /**
     * Number of entries of a download that the agent's process has completed, see {@link RangeRequest}. Each connection has its own counter, because requests
     * over a lost connection may still report.
     */
    volatile AtomicInteger complete = new AtomicInteger();

    private volatile CompletableFuture<Set<String>> query;

    Reconnection(FilePath workspace, RunningTransfer running, PrintStream log, TransferSettings settings) {
        this.workspace = workspace;
        this.running = running;
        this.log = log;
        seconds = settings.reconnectSeconds();
        // the test of an agent's speed does not wait; it names no agent
        computer = seconds == 0 || running.transfer().agent().isEmpty() ? null : workspace.toComputer();
        terminations = computer == null ? 0 : computer.getTerminatedBy().size();
        DelayedExecutor.schedule(IDENTIFY_AFTER_SECONDS, this::identify, () -> {});
    }

    /** Queries the agent, unless it was queried over this connection. Does not wait for the answer. */
    synchronized void identify() {
        FilePath folder = workspace;
        VirtualChannel channel = folder.getChannel();
        if (computer != null && query == null && !running.isFinished()) {
            query = UninterruptedCommand.submit(channel, () -> {
                (AgentInfo.hasEngine(channel) ? AgentJar.ENGINE : AgentJar.IDENTITY).preload(channel);
                // an agent that is not trusted could return more, for which the heap has no account
                return folder.act(new WorkspaceIdentityCallable()).stream()
                        .filter(fact -> fact.length() <= MAX_FACT_LENGTH)
                        .limit(MAX_FACTS)
                        .collect(Collectors.toSet());
            });
        }
    }

    /** Returns the facts in the agent's response; none if there is no response, or the query failed. */
    private Set<String> facts() {
        CompletableFuture<Set<String>> response = query;
        return response == null || !response.isDone() || response.isCompletedExceptionally()
                ? Set.of()
                : response.join();
    }

    private synchronized void identifyOver(VirtualChannel channel) {
        workspace = new FilePath(channel, workspace.getRemote());
        query = null;
        identify();
    }

    /** Runs work, and runs it again each time the agent has connected again after a lost connection. */
    <R> R retry(Work<R> work) throws IOException, InterruptedException {
        while (true) {
            try {
                return work.run();
            } catch (IOException e) {
                await(e);
            }
        }
    }

    /** Waits for the agent to connect again. Throws the failure if it is no lost connection, or if the agent or its workspace does not come back. */
    void await(IOException failure) throws IOException, InterruptedException {
        Set<String> before = facts();
        boolean lost = Causes.lostConnection(failure) != null && isLost();
        if (!lost || before.isEmpty() || running.interruptions() == MAX_INTERRUPTIONS || !canReturn()) {
            throw failure;
        }
        running.setState(AgentEnd.UNKNOWN);
        String agent = running.transfer().agent();
        log.println(
                Messages.Reconnection_waiting(agent, FigureFormat.ofReader().bytes(running.completedBytes()), seconds));
        long start = System.nanoTime();
        while (canReturn() && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(seconds)) {
            Thread.sleep(PAUSE_MILLIS);
            VirtualChannel now = computer.getChannel();
            if (now != null && now != workspace.getChannel()) {
                identifyOver(now);
            } else if (query != null && query.isDone() && !isLost()) {
                if (WorkspaceIdentityCallable.isSame(before, facts())) {
                    boolean isSameProcess = WorkspaceIdentityCallable.isSameProcess(before, facts());
                    complete = new AtomicInteger(isSameProcess ? complete.get() : 0);
                    running.recordInterruption();
                    return;
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
        boolean isAutomatic = computer.getTerminatedBy().stream()
                .skip(terminations)
                .map(request -> Arrays.toString(request.getStackTrace()))
                .allMatch(AUTOMATIC.asPredicate());
        return exists && isAutomatic && !Jenkins.get().isTerminating();
    }
}
