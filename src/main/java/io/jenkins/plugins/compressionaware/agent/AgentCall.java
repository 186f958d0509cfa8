package io.jenkins.plugins.compressionaware.agent;

import hudson.FilePath;
import hudson.FilePath.FileCallable;
import hudson.model.Computer;
import hudson.remoting.ChannelClosedException;
import hudson.remoting.Future;
import hudson.remoting.RequestAbortedException;
import io.jenkins.plugins.compressionaware.receive.SenderWatch;
import io.jenkins.plugins.compressionaware.transfer.WholeWrites;
import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The agent's end of a transfer, as the controller sees it: a call that runs there while this end works. Used by one thread.
 *
 * @param <R> what it says when it has finished
 */
final class AgentCall<R> implements SenderWatch, Closeable {
    private static final Logger LOGGER = Logger.getLogger(AgentCall.class.getName());

    /** How long bytes may still be on their way when the call has returned, nanoseconds. */
    private static final long LAST_BYTES = TimeUnit.MINUTES.toNanos(2);

    private final Future<R> running;
    private final Function<Throwable, String> explain;
    private long returned;

    /** @param explain makes of a failure what the user is told */
    AgentCall(Future<R> running, Function<Throwable, String> explain) {
        this.running = running;
        this.explain = explain;
    }

    /**
     * Has an agent begin. The call is sent by a thread that nobody interrupts, since it may be megabytes: over a WebSocket one that is cut short would take
     * the next command of the channel with it, see {@link WholeWrites}.
     *
     * @param explain makes of a failure what the user is told
     */
    static <R> AgentCall<R> begin(FilePath workspace, FileCallable<R> question, Function<Throwable, String> explain)
            throws IOException, InterruptedException {
        CompletableFuture<Future<R>> begun = new CompletableFuture<>();
        Runnable send = () -> {
            try {
                begun.complete(workspace.actAsync(question));
            } catch (Exception | Error e) { // whatever it is: it is for who waits
                begun.completeExceptionally(e);
            }
        };
        try {
            Computer.threadPoolForRemoting.execute(send);
        } catch (RejectedExecutionException | OutOfMemoryError e) { // there is no thread to be had
            send.run();
        }
        try {
            return new AgentCall<>(begun.get(), explain);
        } catch (InterruptedException e) {
            begun.thenAccept(AgentCall::cancel);
            throw e;
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        }
    }

    /** Its own report, once it has finished. */
    R report() throws IOException, InterruptedException {
        try {
            return running.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw new IOException(explain.apply(cause), cause);
        }
    }

    /** For people, why a call has failed. */
    static String reason(Throwable failure) {
        boolean lost = failure instanceof ChannelClosedException || failure instanceof RequestAbortedException;
        String reason = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        return lost ? Messages.AgentCall_lost(reason) : reason;
    }

    @Override
    public void check() throws IOException, InterruptedException {
        if (!running.isDone()) {
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

    /** Ends it, if it still runs. */
    @Override
    public void close() {
        cancel(running);
    }

    /** Ends a call, if it still runs. By another thread: that is a write to the channel, which waits if the agent does not read. */
    static void cancel(Future<?> running) {
        if (!running.isDone()) {
            try {
                Computer.threadPoolForRemoting.execute(() -> running.cancel(true));
            } catch (RejectedExecutionException | OutOfMemoryError e) { // there is no thread to be had
                LOGGER.log(Level.WARNING, "A call to an agent goes on until that notices by itself", e);
            }
        }
    }
}
