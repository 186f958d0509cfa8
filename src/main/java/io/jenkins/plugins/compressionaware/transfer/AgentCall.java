package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.FilePath.FileCallable;
import hudson.model.Computer;
import hudson.remoting.Future;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.agent.CancelTransferCallable;
import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import io.jenkins.plugins.compressionaware.engine.run.Liveness;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import io.jenkins.plugins.compressionaware.provisioning.UninterruptedCommand;
import io.jenkins.plugins.compressionaware.report.Causes;
import io.jenkins.plugins.compressionaware.report.KnownFailureException;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A call that runs on the agent while the controller works on its own end of the transfer. Used by one thread.
 *
 * @param <R> result of the call
 */
final class AgentCall<R> implements Liveness, Closeable {
    private static final Logger LOGGER = Logger.getLogger(AgentCall.class.getName());

    /** Nanoseconds for which data may still arrive after the call has returned. */
    private static final long MAX_TRAILING_NANOS = TimeUnit.MINUTES.toNanos(2);

    /** Seconds between two checks of a pending call. */
    private static final int CHECK_SECONDS = 10;

    private final Future<R> running;
    private final Function<Throwable, String> explain;
    private final Runnable cancel;
    private long returned;

    @CheckForNull
    private SilenceLimit silence;

    /** @param cancel run by {@link #close} on another thread if the call still runs; null if the call then ends soon by itself */
    AgentCall(Future<R> running, Function<Throwable, String> explain, @CheckForNull Runnable cancel) {
        this.running = running;
        this.explain = explain;
        this.cancel = cancel;
    }

    /**
     * Starts a call on the agent.
     *
     * @param explain returns the user's message for a failure
     * @param id number of the transfer that {@link #close} cancels on the agent, see {@link AgentEnd}; 0 if the call then ends soon by itself
     */
    static <R> AgentCall<R> start(
            FilePath workspace, FileCallable<R> callable, Function<Throwable, String> explain, long id)
            throws IOException, InterruptedException {
        CompletableFuture<Future<R>> started =
                UninterruptedCommand.submit(workspace.getChannel(), () -> workspace.actAsync(callable));
        Runnable cancel = id == 0 ? null : () -> cancel(workspace.getChannel(), id);
        try {
            return new AgentCall<>(UninterruptedCommand.await(started), explain, cancel);
        } catch (InterruptedException e) {
            started.thenAccept(running -> new AgentCall<>(running, explain, cancel).close());
            throw e;
        }
    }

    private static void cancel(VirtualChannel channel, long id) {
        try {
            channel.callAsync(new CancelTransferCallable(id));
        } catch (IOException e) {
            LOGGER.log(Level.FINE, e, () -> "Cannot cancel a transfer on " + channel);
        }
    }

    /** Waits for the call and returns its result. The message of a failure is for users. */
    R report() throws IOException, InterruptedException {
        while (true) {
            try {
                // without a limit, remoting answers an interrupt with a write to the channel, which blocks if the
                // agent does not read
                return running.get(CHECK_SECONDS, TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                checkSilence();
            } catch (ExecutionException e) {
                Throwable cause = e.getCause();
                throw new ExplainedException(explain.apply(cause), cause);
            }
        }
    }

    /** Sets a limit that fails the call if both ends wait for each other. */
    void limit(SilenceLimit limit) {
        silence = limit;
    }

    private void checkSilence() throws IOException, InterruptedException {
        if (silence != null) {
            try {
                silence.check();
            } catch (IOException e) {
                throw new ExplainedException(explain.apply(e), e);
            }
        }
    }

    /** Returns the reason of a failure, as users read it. */
    static String describe(Throwable failure) {
        Throwable lost = Causes.lostConnection(failure);
        return lost == null ? Causes.reason(failure) : Messages.AgentCall_lost(Causes.reason(lost));
    }

    /** Returns the failure of an agent whose last data is missing. */
    static IOException noEnd() {
        return new KnownFailureException("the-agent-finished-but-its-last", Messages.AgentCall_noEnd());
    }

    @Override
    public void check() throws IOException, InterruptedException {
        if (!running.isDone()) {
            checkSilence();
            return;
        }
        report();
        // over TCP channels, the call can return before its last data arrives
        long now = System.nanoTime();
        if (returned == 0) {
            returned = now;
        } else if (now - returned > MAX_TRAILING_NANOS) {
            IOException reason = noEnd();
            throw new ExplainedException(explain.apply(reason), reason);
        }
    }

    /** Cancels the call if it still runs. Does so on another thread, because a write to the channel blocks if the agent does not read. */
    @Override
    public void close() {
        if (cancel != null && !running.isDone() && !Tasks.begin(Computer.threadPoolForRemoting, cancel)) {
            LOGGER.warning("No thread is available: a call to an agent continues until the agent ends it");
        }
    }
}
