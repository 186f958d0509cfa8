package io.jenkins.plugins.compressionaware.engine.run;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.SuppressFBWarnings;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
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

    /** Nanoseconds between two checks of a waiting caller. */
    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Work that was started, and its outcome. */
    public static final class Task<T> implements Runnable {
        /** Null after its end, because an agent may keep what leads to this task. */
        private Callable<T> work;

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
            work = null;
            whenDone.forEach(Runnable::run); // not modified by others after the task has ended
            whenDone.clear();
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

        public synchronized boolean hasEnded() {
            return ended;
        }

        synchronized boolean hasFailed() {
            return ended && failure != null;
        }

        /** Lets a thread that waits for this task look at its condition again. */
        @SuppressFBWarnings(value = "NN_NAKED_NOTIFY", justification = "the caller has changed the condition")
        public synchronized void wake() {
            notifyAll();
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

        public T outcome() throws IOException, InterruptedException {
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
     * Starts work that goes on while the caller does something else, and then waits with {@link #await}.
     *
     * @throws IOException if there is no thread for it
     */
    public <T> Task<T> start(Callable<T> work) throws IOException {
        Task<T> task = new Task<>(work);
        if (!Tasks.begin(executor, task)) {
            throw new IOException("the system refuses a thread");
        }
        return task;
    }

    /**
     * Waits until a condition holds. After an interrupt, waits two seconds at most for the end of the work.
     *
     * @param task   work that goes on meanwhile
     * @param until  evaluated at each {@link Task#wake}
     * @param sender checked every half second
     * @throws IOException if the work has failed
     */
    public void await(Task<?> task, BooleanSupplier until, Liveness sender) throws IOException, InterruptedException {
        BooleanSupplier over = () -> until.getAsBoolean() || task.hasFailed();
        try {
            while (!Tasks.await(task, over, CHECK_NANOS)) {
                sender.check();
            }
        } catch (InterruptedException e) {
            interrupt(task);
            if (!over.getAsBoolean()) {
                throw e;
            }
        }
        if (task.hasFailed()) {
            task.outcome();
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
        boolean ended;
        try {
            ended = task.await(interrupted ? GRACE_NANOS : startTimeoutNanos);
            if (!ended && !interrupted) {
                task.run(); // the executor may have lost it; returns at once if a thread has started it
                ended = task.await(Long.MAX_VALUE);
            }
        } catch (InterruptedException e) {
            interrupt(task);
            ended = true;
        }
        if (!ended) {
            throw abandon(task);
        }
        return task.outcome();
    }

    /** Interrupts work whose caller was interrupted, and gives it two seconds to end. If it succeeds, the interrupt stays pending. */
    private void interrupt(Task<?> task) throws InterruptedException {
        interrupted = true;
        task.interrupt();
        // another interrupt does not shorten the wait, because the task may be publishing its result
        boolean ended = Tasks.awaitUninterruptibly(task, task::hasEnded, GRACE_NANOS);
        Thread.interrupted(); // reported below, with the first interrupt
        if (!ended) {
            throw abandon(task);
        }
        stuck = null;
        if (!(task.failure instanceof InterruptedException)) {
            Thread.currentThread().interrupt();
        }
    }

    private InterruptedException abandon(Task<?> task) {
        stuck = task.preventStart() ? null : task;
        return new InterruptedException(
                "Interrupted: disk work did not end within two seconds. The disk may not answer");
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

    /**
     * Gives work that must end, because what it reads or writes is closed, two seconds to end, unless an interrupt has done so; {@link #runCleanup} then runs
     * after it.
     */
    public void awaitEnd(Task<?> task) {
        if (task != stuck && !Tasks.awaitUninterruptibly(task, task::hasEnded, GRACE_NANOS)) {
            stuck = task;
        }
    }

    /**
     * Runs the final cleanup. Returns after two seconds if it takes longer, because there may be very many files to delete, or if a task still hangs on the
     * disk; the cleanup then goes on, or runs later.
     */
    public void runCleanup(Closeable cleanup) throws IOException {
        Task<Void> task = new Task<>(() -> {
            cleanup.close();
            return null;
        });
        if (stuck != null && stuck.whenDone(task)) {
            return;
        }
        boolean begun = Tasks.begin(executor, task);
        boolean ended = begun && Tasks.awaitUninterruptibly(task, task::hasEnded, GRACE_NANOS);
        if (!begun || !ended && !interrupted && !Thread.currentThread().isInterrupted()) {
            task.run(); // the executor may have lost it; returns at once if a thread has started it
        }
        if (!task.hasEnded()) {
            stuck = task;
            return;
        }
        try {
            task.outcome();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
