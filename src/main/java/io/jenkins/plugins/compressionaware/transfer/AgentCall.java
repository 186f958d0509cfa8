package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.FilePath.FileCallable;
import hudson.model.Computer;
import hudson.remoting.ChannelClosedException;
import hudson.remoting.Future;
import hudson.remoting.RequestAbortedException;
import io.jenkins.plugins.compressionaware.engine.receive.SenderLiveness;
import io.jenkins.plugins.compressionaware.engine.flow.Tasks;
import io.jenkins.plugins.compressionaware.provisioning.UninterruptedCommand;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.logging.Logger;

/**
 * The agent's end of a transfer, as the controller sees it: a call that runs there while this end works. Used by one thread.
 *
 * @param <R> result of the call
 */
final class AgentCall<R> implements SenderLiveness, Closeable {
    private static final Logger LOGGER = Logger.getLogger(AgentCall.class.getName());

    /** How long bytes may still be on their way after the call has returned, nanoseconds. */
    private static final long LAST_BYTES = TimeUnit.MINUTES.toNanos(2);

    /** Seconds between two checks of a pending call. */
    private static final int LOOK = 10;

    private final Future<R> running;
    private final Function<Throwable, String> explain;
    private final boolean interruptible;
    private long returned;

    @CheckForNull
    private SilenceLimit silence;

    /** See {@link #start}. */
    AgentCall(Future<R> running, Function<Throwable, String> explain, boolean mayBreak) {
        this.running = running;
        this.explain = explain;
        this.interruptible = mayBreak;
    }

    /**
     * Makes an agent begin.
     *
     * @param explain  turns a failure into the user's message
     * @param mayBreak whether {@link #close} interrupts it on the agent: not if it ends soon by itself, and answers with more than a few kilobytes, since the
     *     interrupt could then cut its answer short, see {@link UninterruptedCommand}
     */
    static <R> AgentCall<R> start(
            FilePath workspace, FileCallable<R> question, Function<Throwable, String> explain, boolean mayBreak)
            throws IOException, InterruptedException {
        CompletableFuture<Future<R>> begun = UninterruptedCommand.submit(() -> workspace.actAsync(question));
        try {
            return new AgentCall<>(UninterruptedCommand.await(begun), explain, mayBreak);
        } catch (InterruptedException e) {
            if (mayBreak) {
                begun.thenAccept(AgentCall::cancel);
            }
            throw e;
        }
    }

    /** The agent's own report, once it has finished. */
    R report() throws IOException, InterruptedException {
        while (true) {
            try {
                // without a limit, remoting answers an interrupt with a write to the channel, which waits if the agent
                // does not read
                return running.get(LOOK, TimeUnit.SECONDS);
            } catch (TimeoutException e) { // not yet
                checkSilence();
            } catch (ExecutionException e) {
                Throwable cause = e.getCause();
                throw new IOException(explain.apply(cause), cause);
            }
        }
    }

    /** Sets a limit that fails the call if both ends wait for each other. */
    void limit(SilenceLimit limit) {
        silence = limit;
    }

    private void checkSilence() throws IOException {
        if (silence != null) {
            try {
                silence.check();
            } catch (IOException e) {
                throw new IOException(explain.apply(e), e);
            }
        }
    }

    /** The reason for a failed call, for people. */
    static String describe(Throwable failure) {
        boolean lost = failure instanceof ChannelClosedException || failure instanceof RequestAbortedException;
        String reason = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        return lost ? Messages.AgentCall_lost(reason) : reason;
    }

    @Override
    public void checkAlive() throws IOException, InterruptedException {
        if (!running.isDone()) {
            checkSilence();
            return;
        }
        report();
        // the call may return before its last bytes arrive: seen on TCP channels
        long now = System.nanoTime();
        if (returned == 0) {
            returned = now;
        } else if (now - returned > LAST_BYTES) {
            throw new IOException(Messages.AgentCall_noEnd());
        }
    }

    /** Ends the call if it still runs, and may be interrupted. */
    @Override
    public void close() {
        if (interruptible) {
            cancel(running);
        }
    }

    /** Ends a call if it still runs, on another thread: this writes to the channel, which waits if the agent does not read. */
    static void cancel(Future<?> running) {
        if (!running.isDone() && !Tasks.begin(Computer.threadPoolForRemoting, () -> running.cancel(true))) {
            LOGGER.warning("No thread is available: a call to an agent continues until the agent ends it");
        }
    }
}
