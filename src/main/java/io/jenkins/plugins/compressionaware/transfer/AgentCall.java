package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.FilePath.FileCallable;
import hudson.model.Computer;
import hudson.remoting.Future;
import io.jenkins.plugins.compressionaware.engine.flow.Tasks;
import io.jenkins.plugins.compressionaware.engine.receive.SenderLiveness;
import io.jenkins.plugins.compressionaware.provisioning.UninterruptedCommand;
import io.jenkins.plugins.compressionaware.report.OneLine;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.logging.Logger;

/**
 * A call that runs on the agent while the controller works on its own end of the transfer. Used by one thread.
 *
 * @param <R> result of the call
 */
final class AgentCall<R> implements SenderLiveness, Closeable {
    private static final Logger LOGGER = Logger.getLogger(AgentCall.class.getName());

    /** Nanoseconds for which data may still arrive after the call has returned. */
    private static final long MAX_TRAILING_NANOS = TimeUnit.MINUTES.toNanos(2);

    /** Seconds between two checks of a pending call. */
    private static final int CHECK_SECONDS = 10;

    private final Future<R> running;
    private final Function<Throwable, String> explain;
    private final boolean interruptible;
    private long returned;

    @CheckForNull
    private SilenceLimit silence;

    AgentCall(Future<R> running, Function<Throwable, String> explain, boolean interruptible) {
        this.running = running;
        this.explain = explain;
        this.interruptible = interruptible;
    }

    /**
     * Starts a call on the agent.
     *
     * @param explain returns the user's message for a failure
     * @param interruptible whether {@link #close} interrupts the call on the agent. Use false if the call ends soon by itself and returns more than a few
     *     kilobytes, because an interrupt could cut its result short, see {@link UninterruptedCommand}
     */
    static <R> AgentCall<R> start(
            FilePath workspace, FileCallable<R> callable, Function<Throwable, String> explain, boolean interruptible)
            throws IOException, InterruptedException {
        CompletableFuture<Future<R>> started = UninterruptedCommand.submit(() -> workspace.actAsync(callable));
        try {
            return new AgentCall<>(UninterruptedCommand.await(started), explain, interruptible);
        } catch (InterruptedException e) {
            if (interruptible) {
                started.thenAccept(AgentCall::cancel);
            }
            throw e;
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
        Throwable lost = OneLine.lostConnection(failure);
        return lost == null ? OneLine.reason(failure) : Messages.AgentCall_lost(OneLine.reason(lost));
    }

    @Override
    public void checkAlive() throws IOException, InterruptedException {
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
            IOException reason = new IOException(Messages.AgentCall_noEnd());
            throw new ExplainedException(explain.apply(reason), reason);
        }
    }

    /** Cancels the call if it still runs and is interruptible. */
    @Override
    public void close() {
        if (interruptible) {
            cancel(running);
        }
    }

    /** Cancels a running call on another thread, because cancelling writes to the channel, which blocks if the agent does not read. */
    static void cancel(Future<?> running) {
        if (!running.isDone() && !Tasks.begin(Computer.threadPoolForRemoting, () -> running.cancel(true))) {
            LOGGER.warning("No thread is available: a call to an agent continues until the agent ends it");
        }
    }
}
