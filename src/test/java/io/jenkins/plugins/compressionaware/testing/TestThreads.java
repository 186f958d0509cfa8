package io.jenkins.plugins.compressionaware.testing;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.InterruptedIOException;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Runs the tasks of a test. {@link org.junit.jupiter.api.AutoClose} stops them and waits for all threads of transfers. */
public final class TestThreads extends ThreadPoolExecutor implements AutoCloseable {
    private static final Set<Thread.State> WAITING = Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);

    public TestThreads() {
        super(0, Integer.MAX_VALUE, 1, TimeUnit.MINUTES, new SynchronousQueue<>());
    }

    /** Starts a call that must block, and returns when it blocks. */
    public <T> Future<T> startBlocking(Callable<T> call) throws InterruptedException {
        AtomicReference<Thread> thread = new AtomicReference<>();
        Future<T> result = submit(() -> {
            thread.set(Thread.currentThread());
            return call.call();
        });
        while (thread.get() == null || !WAITING.contains(thread.get().getState())) {
            assertFalse(result.isDone(), "the call does not wait");
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return result;
    }

    /** Waits like a blocked read or write, which an interrupt ends. */
    public static void await(CountDownLatch latch) throws InterruptedIOException {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }

    @Override
    public void close() {
        Threads.end(this);
    }
}
