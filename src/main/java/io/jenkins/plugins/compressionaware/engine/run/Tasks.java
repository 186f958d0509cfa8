package io.jenkins.plugins.compressionaware.engine.run;

import java.io.InterruptedIOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Runs tasks on executors that may reject or lose them, and waits for other threads. Thread-safe. */
@Restricted(NoExternalUse.class)
public final class Tasks {
    private Tasks() {}

    /** Submits a task. Returns false if the executor has no thread for it. */
    public static boolean begin(Executor executor, Runnable task) {
        try {
            executor.execute(task);
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            return false;
        }
    }

    /**
     * Waits for a task. After a second without a thread, the task may be lost, so the calling thread runs it.
     *
     * @throws InterruptedException if the calling thread is interrupted, even if the task is done: a loop over finished tasks must end
     */
    public static <T> T awaitOrRun(Future<T> task) throws ExecutionException, InterruptedException {
        if (Thread.interrupted()) { // get() does not check this for a finished task
            throw new InterruptedException();
        }
        try {
            return task.get(1, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            if (task instanceof RunnableFuture<T> runnable) {
                runnable.run();
            }
            return task.get();
        }
    }

    /** Waits on a monitor until a condition holds, for a limited time. Returns whether the condition holds. */
    public static boolean await(Object lock, BooleanSupplier isDone, long nanos) throws InterruptedException {
        synchronized (lock) {
            long end = System.nanoTime() + nanos;
            for (long left = nanos; !isDone.getAsBoolean() && left > 0; left = end - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(lock, left);
            }
            return isDone.getAsBoolean();
        }
    }

    /** Waits like {@link #await}. An interrupt does not shorten the wait, and stays pending. */
    public static boolean awaitUninterruptibly(Object lock, BooleanSupplier isDone, long nanos) {
        long end = System.nanoTime() + nanos;
        boolean interrupted = false;
        Boolean done = null;
        while (done == null) {
            try {
                done = await(lock, isDone, end - System.nanoTime());
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return done;
    }

    /** Restores the interrupt status of the calling thread, and returns the exception to throw. */
    public static InterruptedIOException interrupted(String message) {
        Thread.currentThread().interrupt();
        return new InterruptedIOException(message);
    }

    /** Returns an exception that reports an interrupt and its consequence. */
    public static InterruptedException interrupted(String message, Throwable consequence) {
        InterruptedException interrupted = new InterruptedException(message);
        interrupted.initCause(consequence);
        return interrupted;
    }
}
