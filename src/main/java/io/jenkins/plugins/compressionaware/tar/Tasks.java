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

/** Runs tasks on executors that may refuse a task, or accept a task and then lose it. Any thread may call. */
@Restricted(NoExternalUse.class)
public final class Tasks {
    private Tasks() {}

    /** Submits a task; returns false if the executor has no thread for it. */
    public static boolean begin(Executor executor, Runnable task) {
        try {
            executor.execute(task);
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            return false;
        }
    }

    /** Waits for a task. If no thread has begun the task after a second, the executor may have lost it, so the calling thread runs it. */
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
