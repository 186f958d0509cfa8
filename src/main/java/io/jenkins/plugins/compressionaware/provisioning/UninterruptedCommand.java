package io.jenkins.plugins.compressionaware.provisioning;

import hudson.model.Computer;
import io.jenkins.plugins.compressionaware.engine.flow.Tasks;
import io.jenkins.plugins.compressionaware.engine.flow.UninterruptedWrites;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Sends commands to an agent on threads that an abort cannot interrupt. Over a WebSocket, an interrupted command would corrupt the next command on the
 * channel, see {@link UninterruptedWrites}. An interrupted call would also block if the agent does not read, because remoting answers an interrupt with a
 * write to the channel.
 */
@Restricted(NoExternalUse.class)
public final class UninterruptedCommand {
    private UninterruptedCommand() {}

    /** Sends a command on another thread, or on the caller's thread if none is available. */
    public static <T> CompletableFuture<T> submit(Callable<T> command) {
        CompletableFuture<T> sent = new CompletableFuture<>();
        Runnable task = () -> {
            try {
                sent.complete(command.call());
            } catch (Exception | Error e) { // the waiting thread handles it
                sent.completeExceptionally(e);
            }
        };
        if (!Tasks.begin(Computer.threadPoolForRemoting, task)) {
            task.run();
        }
        return sent;
    }

    /**
     * Waits for a command. An interrupt ends the wait but not the command.
     *
     * @throws IOException if the command failed; a {@link LinkageError} on the agent becomes its cause
     */
    public static <T> T await(CompletableFuture<T> sent) throws IOException, InterruptedException {
        try {
            return sent.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof InterruptedException interrupted) { // this thread sent the command itself
                throw interrupted;
            }
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        }
    }
}
