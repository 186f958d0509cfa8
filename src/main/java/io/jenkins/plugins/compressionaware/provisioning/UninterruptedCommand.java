package io.jenkins.plugins.compressionaware.provisioning;

import hudson.model.Computer;
import io.jenkins.plugins.compressionaware.engine.flow.UninterruptedWrites;
import io.jenkins.plugins.compressionaware.engine.flow.Tasks;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Commands to an agent that may be hundreds of kilobytes. A thread that nobody interrupts writes them: over a WebSocket, a command that an abort cuts short
 * would take the next command of the channel with it, see {@link UninterruptedWrites}. The same for calls: remoting answers an interrupt with a write to the
 * channel, which waits if the agent does not read.
 */
@Restricted(NoExternalUse.class)
public final class UninterruptedCommand {
    private UninterruptedCommand() {}

    /** Sends a command. Where no thread is available, the caller's own sends it. */
    public static <T> CompletableFuture<T> submit(Callable<T> command) {
        CompletableFuture<T> sent = new CompletableFuture<>();
        Runnable task = () -> {
            try {
                sent.complete(command.call());
            } catch (Exception | Error e) { // whatever it is, it is for the waiting thread
                sent.completeExceptionally(e);
            }
        };
        if (!Tasks.begin(Computer.threadPoolForRemoting, task)) {
            task.run();
        }
        return sent;
    }

    /**
     * Waits for a command, which goes on if the waiting thread is interrupted.
     *
     * @throws IOException why it failed; an agent's {@link LinkageError} is its cause
     */
    public static <T> T await(CompletableFuture<T> sent) throws IOException, InterruptedException {
        try {
            return sent.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof InterruptedException interrupted) { // this thread has sent it
                throw interrupted;
            }
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        }
    }
}
