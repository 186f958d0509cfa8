package io.jenkins.plugins.compressionaware.engine.receive;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.jenkins.plugins.compressionaware.engine.flow.Tasks;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Runs blocking disk work on an executor thread so that the caller can respond to an interrupt even if the disk hangs. Tasks run one at a time; a task that the
 * executor rejects or loses runs on the calling thread. Not thread-safe.
 */
@Restricted(NoExternalUse.class)
public final class InterruptibleDiskTask {
    /** Nanoseconds that interrupted work gets to end; on a disk that answers, it ends within milliseconds. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Nanoseconds for the executor to start a task; ample, because its number of threads is unlimited. */
    private static final long START_TIMEOUT_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Executor executor;
    private final long startTimeoutNanos;
    private Task<?> stuck;
    private boolean interrupted;

    public InterruptibleDiskTask(Executor executor) {
        this(executor, START_TIMEOUT_NANOS);
    }

    /** @param startTimeoutNanos nanoseconds after which the caller runs a task that no thread has started */
    InterruptibleDiskTask(Executor executor, long startTimeoutNanos) {
        this.executor = executor;
        this.startTimeoutNanos = startTimeoutNanos;
    }

    private static final class Task<T> implements Runnable {
        private final Callable<T> work;
        private T result;
        private Throwable failure;

        @GuardedBy("this")
        private Thread thread;

        @GuardedBy("this")
        private boolean started;

        @GuardedBy("this")
        private boolean interrupted;

        @GuardedBy("this")
        private boolean ended;

        private final List<Runnable> whenDone = new ArrayList<>();

        Task(Callable<T> work) {
            this.work = work;
        }

        @Override
        public void run() {
            synchronized (this) {
                if (started) {
                    return;
                }
                started = true;
                thread = Thread.currentThread();
                if (interrupted) {
                    thread.interrupt();
                }
            }
            try {
                result = work.call();
            } catch (Throwable e) { // any failure is thrown in the waiting thread
                failure = e;
            }
            synchronized (this) {
                thread = null;
                if (interrupted) {
                    // the executor reuses the thread
                    Thread.interrupted();
                    if (failure instanceof InterruptedIOException) {
                        failure = Tasks.interrupted(failure.getMessage(), failure);
                    }
                }
                ended = true;
                notifyAll();
            }
            whenDone.forEach(Runnable::run); // not modified after the task has ended
        }

        synchronized void interrupt() {
            interrupted = true;
            if (thread != null) {
                thread.interrupt();
            }
        }

        /** Waits for the end of the task. Returns whether it has ended. */
        boolean await(long nanos) throws InterruptedException {
            return Tasks.await(this, this::hasEnded, nanos);
        }

        private synchronized boolean hasEnded() {
            return ended;
        }

        /** Runs a callback at the end of the task. Returns false if the task has already ended. */
        synchronized boolean whenDone(Runnable next) {
            return !ended && whenDone.add(next);
        }

        /** Prevents the task from starting. Returns false if a thread has already started it. */
        synchronized boolean preventStart() {
            boolean prevented = !started;
            started = true;
            return prevented;
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
     * Runs work and waits for its result. After an interrupt of the calling thread, this call and later calls wait for two seconds at most.
     *
     * @throws InterruptedException if the work was interrupted, or is still running because the disk does not answer
     */
    public <T> T call(Callable<T> work) throws IOException, InterruptedException {
        Task<T> task = new Task<>(work);
        if (!Tasks.begin(executor, task)) {
            task.run();
        }
        boolean interruptedNow = false;
        boolean ended;
        try {
            ended = task.await(interrupted ? GRACE_NANOS : startTimeoutNanos);
            if (!ended && !interrupted) {
                task.run(); // the executor may have lost it; returns at once if a thread has started it
                ended = task.await(Long.MAX_VALUE);
            }
        } catch (InterruptedException e) {
            interruptedNow = true;
            interrupted = true;
            task.interrupt();
            // set before the wait, because another interrupt may end the wait
            stuck = task;
            ended = task.await(GRACE_NANOS);
        }
        if (!ended) {
            stuck = task.preventStart() ? null : task;
            throw new InterruptedException(
                    "Interrupted: disk work did not end within two seconds. The disk may not answer");
        }
        stuck = null;
        if (interruptedNow && !(task.failure instanceof InterruptedException)) {
            Thread.currentThread().interrupt();
        }
        return task.outcome();
    }

    /** Opens a resource like {@link #call}, and closes the resource if it is opened after the caller was interrupted. */
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

    /** Runs the final cleanup. If a task still hangs on the disk, the cleanup runs when that task ends, possibly after this method has returned. */
    public void runCleanup(Closeable cleanup) throws IOException {
        Callable<Void> work = () -> {
            cleanup.close();
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
