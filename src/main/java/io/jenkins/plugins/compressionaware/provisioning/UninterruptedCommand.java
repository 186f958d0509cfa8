package io.jenkins.plugins.compressionaware.provisioning;

import hudson.model.Computer;
import hudson.remoting.VirtualChannel;
import io.jenkins.plugins.compressionaware.engine.run.SharedLimit;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import io.jenkins.plugins.compressionaware.engine.run.UninterruptedWrites;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Sends commands to an agent on threads that an abort cannot interrupt. Over a WebSocket, an interrupted command would corrupt the next command on the
 * channel, see {@link UninterruptedWrites}. An interrupted call would also block if the agent does not read, because remoting answers an interrupt with a
 * write to the channel.
 */
@Restricted(NoExternalUse.class)
public final class UninterruptedCommand {
    /** Seconds for the executor to start a command; ample, because its number of threads is unlimited. */
    private static final long START_SECONDS = 60;

    /** Number of periods of {@link #START_SECONDS} after which a command fails: a day. */
    static final int MAX_PERIODS = 24 * 60;

    /** Maximum number of commands to one agent at a time, more than its transfers need. Each holds a thread until the agent reacts, even after an abort. */
    static final int MAX_COMMANDS = 100;

    private static final SharedLimit COMMANDS = new SharedLimit(Integer.MAX_VALUE, MAX_COMMANDS);

    private UninterruptedCommand() {}

    /** Completed by the first thread that runs it. */
    private static final class Command<T> extends CompletableFuture<T> implements Runnable {
        private final Callable<T> command;
        private final Executor executor;
        private final AtomicBoolean started = new AtomicBoolean();

        Command(Callable<T> command, Executor executor) {
            this.command = command;
            this.executor = executor;
        }

        void begin() {
            if (Tasks.begin(executor, this)) {
                return;
            }
            if (Thread.currentThread().isInterrupted()) {
                completeExceptionally(new InterruptedException("Interrupted before a command could be sent"));
            } else {
                run();
            }
        }

        @Override
        public void run() {
            if (started.getAndSet(true)) {
                return;
            }
            try {
                complete(command.call());
            } catch (Exception | Error e) { // the waiting thread handles it
                completeExceptionally(e);
            }
        }
    }

    /** Sends a command on another thread, or on the caller's thread if none is available. It fails if {@link #MAX_COMMANDS} to this agent have not ended. */
    public static <T> CompletableFuture<T> submit(VirtualChannel agent, Callable<T> command) {
        return submit(String.valueOf(agent), command, Computer.threadPoolForRemoting);
    }

    public static <T> CompletableFuture<T> submit(String agent, Callable<T> command, Executor executor) {
        Command<T> sent = new Command<>(command, executor);
        if (COMMANDS.tryAcquire(agent, 1)) {
            sent.whenComplete((result, failure) -> COMMANDS.release(agent, 1));
            sent.begin();
        } else {
            sent.completeExceptionally(
                    new IOException("The agent does not answer: " + MAX_COMMANDS + " commands to it have not ended"));
        }
        return sent;
    }

    /** Submits a command once more, because its thread may be lost. Has no effect if a thread sends it or has sent it. */
    public static void submitAgain(CompletableFuture<?> sent) {
        if (sent instanceof Command<?> command) {
            command.begin();
        }
    }

    /**
     * Waits for a command, at most a day. An interrupt ends the wait but not the command. After each minute, the command is submitted again.
     *
     * @throws IOException if the command failed or takes too long; a {@link LinkageError} on the agent becomes its cause
     */
    public static <T> T await(CompletableFuture<T> sent) throws IOException, InterruptedException {
        return await(sent, START_SECONDS);
    }

    static <T> T await(CompletableFuture<T> sent, long startSeconds) throws IOException, InterruptedException {
        for (int i = 0; i < MAX_PERIODS; i++) {
            try {
                return sent.get(startSeconds, TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                submitAgain(sent);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof InterruptedException interrupted) { // no other thread was available
                    Thread.interrupted();
                    throw interrupted;
                }
                throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
            }
        }
        throw new IOException("The agent has not answered for a day");
    }
}
