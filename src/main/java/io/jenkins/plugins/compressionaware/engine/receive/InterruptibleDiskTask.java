package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.flow.Tasks;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Runs tasks one after another on a thread of an executor, so that an interrupted caller need not wait for a disk that does not answer. Used by
 * one thread, which runs a task itself if the executor cannot.
 */
@Restricted(NoExternalUse.class)
public final class InterruptibleDiskTask {
    /** Nanoseconds for the disk to finish interrupted work: one that answers needs some milliseconds. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Nanoseconds for the executor to begin a task; enough, because its number of threads is unlimited. */
    private static final long PATIENCE = TimeUnit.MINUTES.toNanos(1);

    private final Executor executor;
    private final long patience;
    private Task<?> stuck;
    private boolean interrupted;

    public InterruptibleDiskTask(Executor executor) {
        this(executor, PATIENCE);
    }

    /** @param patience nanoseconds after which the caller runs a task that no thread has begun */
    InterruptibleDiskTask(Executor executor, long patience) {
        this.executor = executor;
        this.patience = patience;
    }

    private static final class Task<T> implements Runnable {
        private final Callable<T> work;
        private T result;
        private Throwable failure;
        // guarded by this, like all fields below
        private Thread thread;
        private boolean begun;
        private boolean interrupted;
        private boolean over;
        private final List<Runnable> whenDone = new ArrayList<>();

        Task(Callable<T> work) {
            this.work = work;
        }

        @Override
        public void run() {
            synchronized (this) {
                if (begun) {
                    return;
                }
                begun = true;
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
            synchronized (this) {
                thread = null;
                if (interrupted) {
                    // the thread is the executor's
                    Thread.interrupted();
                }
                over = true;
                notifyAll();
            }
            whenDone.forEach(Runnable::run); // unmodified after the task is over
        }

        synchronized void interrupt() {
            interrupted = true;
            if (thread != null) {
                thread.interrupt();
            }
        }

        /** @return whether the task is over */
        boolean await(long nanos) throws InterruptedException {
            return Tasks.await(this, this::isOver, nanos);
        }

        private synchronized boolean isOver() {
            return over;
        }

        /** @return false if the task is over already */
        synchronized boolean whenDone(Runnable next) {
            return !over && whenDone.add(next);
        }

        /** Whether no thread has begun it: then none will. */
        synchronized boolean neverBegins() {
            boolean lost = !begun;
            begun = true;
            return lost;
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
        if (!Tasks.begin(executor, task)) {
            task.run();
        }
        boolean interrupted = false;
        boolean over;
        try {
            over = task.await(interrupted ? GRACE_NANOS : patience);
            if (!over && !interrupted) {
                task.run(); // returns if a thread has begun it; the executor may have lost it
                over = task.await(Long.MAX_VALUE);
            }
        } catch (InterruptedException e) {
            interrupted = true;
            interrupted = true;
            task.interrupt();
            // before the wait, which another interrupt may end
            stuck = task;
            over = task.await(GRACE_NANOS);
        }
        if (!over) {
            stuck = task.neverBegins() ? null : task;
            throw new InterruptedException(
                    "Interrupted: disk work did not end within two seconds. The disk may not answer");
        }
        stuck = null;
        if (interrupted && !(task.failure instanceof InterruptedException)) {
            Thread.currentThread().interrupt();
        }
        return task.outcome();
    }

    /** Does work like {@link #call}, and closes its result if that comes after the caller was interrupted. */
    public <T extends Closeable> T open(Callable<T> work) throws IOException, InterruptedException {
        AtomicReference<T> opened = new AtomicReference<>();
        try {
            return call(() -> {
                opened.set(work.call());
                return opened.get();
            });
        } catch (InterruptedException e) {
            runCleanup(() -> {
                if (opened.get() != null) {
                    opened.get().close();
                }
            });
            throw e;
        }
    }

    /** Does the last work. It may go on after this has returned, or begin only when the disk has answered. */
    public void runCleanup(Closeable last) throws IOException {
        Callable<Void> work = () -> {
            last.close();
            return null;
        };
        if (stuck != null && stuck.whenDone(new Task<>(work))) {
            return;
        }
        try {
            call(work);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
