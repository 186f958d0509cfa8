package io.jenkins.plugins.compressionaware.tar;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Tasks on executors that may refuse them, or lose them after they have accepted them. */
@Restricted(NoExternalUse.class)
public final class Tasks {
    private Tasks() {}

    /** Whether an executor has accepted a task; false if it has no thread for it. */
    public static boolean begin(Executor executor, Runnable task) {
        try {
            executor.execute(task);
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            return false;
        }
    }

    /** Waits for a task. If no thread has begun it after a second, because the executor has lost it, the calling thread does it. */
    public static <T> T outcome(Future<T> task) throws ExecutionException, InterruptedException {
        try {
            return task.get(1, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            if (task instanceof RunnableFuture<T> runnable) {
                runnable.run();
            }
            return task.get();
        }
    }
}
