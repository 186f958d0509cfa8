package io.jenkins.plugins.compressionaware.receive;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Runs tasks one after another on a thread of an executor, so that an interrupted caller need not wait for a disk that does not answer. Used by
 * one thread, which runs a task itself if the executor cannot.
 */
@Restricted(NoExternalUse.class)
public final class Aside {
    /** Nanoseconds for the disk to finish interrupted work: one that answers needs some milliseconds. */
    private static final long GRACE = TimeUnit.SECONDS.toNanos(2);

    private final Executor executor;
    private Task<?> stuck;
    private boolean brokenOff;

    public Aside(Executor executor) {
        this.executor = executor;
    }

    private static final class Task<T> implements Runnable {
        private final Callable<T> work;
        private T result;
        private Throwable failure;
        // guarded by this, as are the next three
        private Thread thread;
        private boolean interrupted;
        private boolean over;
        private final List<Runnable> then = new ArrayList<>();

        Task(Callable<T> work) {
            this.work = work;
        }

        @Override
        public void run() {
            synchronized (this) {
                thread = Thread.currentThread();
                if (interrupted) {
                    thread.interrupt();
                }
            }
            try {
                result = work.call();
            } catch (Throwable e) { // whatever it is, it is for the waiting thread
                failure = e;
            }
            List<Runnable> next;
            synchronized (this) {
                thread = null;
                if (interrupted) {
                    // the thread is the executor's
                    Thread.interrupted();
                }
                over = true;
                next = List.copyOf(then);
                notifyAll();
            }
            next.forEach(Runnable::run);
        }

        synchronized void interrupt() {
            interrupted = true;
            if (thread != null) {
                thread.interrupt();
            }
        }

        /** @return whether the task is over */
        synchronized boolean await(long nanos) throws InterruptedException {
            long end = System.nanoTime() + nanos;
            for (long left = nanos; !over && left > 0; left = end - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
            return over;
        }

        /** @return false if the task is over already */
        synchronized boolean then(Runnable next) {
            then.add(next);
            return !over;
        }

        T outcome() throws IOException, InterruptedException {
            if (failure instanceof IOException e) {
                throw e;
            } else if (failure instanceof InterruptedException e) {
                throw e;
            } else if (failure instanceof RuntimeException e) {
                throw e;
            } else if (failure instanceof Error e) {
                throw e;
            }
            return result;
        }
    }

    /**
     * Does work and waits for it. Once the calling thread has been interrupted, neither this call nor a later one waits for more than two seconds.
     *
     * @throws InterruptedException if the work was interrupted, or goes on because the disk does not answer
     */
    public <T> T call(Callable<T> work) throws IOException, InterruptedException {
        Task<T> task = new Task<>(work);
        try {
            executor.execute(task);
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            task.run();
        }
        boolean interrupted = false;
        boolean over;
        try {
            over = task.await(brokenOff ? GRACE : Long.MAX_VALUE);
        } catch (InterruptedException e) {
            interrupted = true;
            brokenOff = true;
            task.interrupt();
            // before the wait, which another interrupt may end
            stuck = task;
            over = task.await(GRACE);
        }
        if (!over) {
            stuck = task;
            throw new InterruptedException("Interrupted while the disk did not answer");
        }
        stuck = null;
        if (interrupted && !(task.failure instanceof InterruptedException)) {
            Thread.currentThread().interrupt();
        }
        return task.outcome();
    }

    /** Does the last work. It may go on after this has returned, or begin only when the disk has answered. */
    public void last(Callable<?> work) throws IOException {
        if (stuck != null && stuck.then(new Task<>(work))) {
            return;
        }
        try {
            call(work);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
