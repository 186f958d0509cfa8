package io.jenkins.plugins.compressionaware.engine.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.RefusingExecutor;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class InterruptibleDiskTaskTest {
    @AutoClose
    private final ExecutorService threads = new TestThreads();

    private final InterruptibleDiskTask diskTask = new InterruptibleDiskTask(threads);
    private final Semaphore answer = new Semaphore(0);

    /** Hangs like access to a file on a dead server, which ignores interrupts. */
    private void hang() {
        assertThrows(
                InterruptedException.class,
                () -> diskTask.call(() -> {
                    answer.acquireUninterruptibly();
                    return null;
                }));
    }

    /** Asserts that each cleanup runs after the hung task has ended. */
    private void assertCleansUpLater(int times) throws Exception {
        CountDownLatch cleaned = new CountDownLatch(times);
        for (int i = 0; i < times; i++) {
            diskTask.runCleanup(cleaned::countDown);
        }
        assertEquals(times, cleaned.getCount(), "the disk is still in use");
        answer.release();
        cleaned.await();
    }

    /** A receiver and the receiver of its resent files share one. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void interruptedCallerReturnsAndCleanupRunsAfterHungTask(int receivers) throws Exception {
        Thread.currentThread().interrupt();
        hang();
        assertFalse(Thread.interrupted(), "the exception reports the interrupt");
        assertCleansUpLater(receivers);
    }

    @Test
    void callAfterInterruptDoesNotWaitForHungDisk() {
        Thread.currentThread().interrupt();
        hang();
        hang();
        answer.release(2);
    }

    /** Two seconds for each wait would exceed the limit of this test. */
    @Test
    void endOfHungTaskIsAwaitedOnce() throws Exception {
        CountDownLatch started = new CountDownLatch(1);
        InterruptibleDiskTask.Task<Void> task = diskTask.start(() -> {
            started.countDown();
            answer.acquireUninterruptibly();
            return null;
        });
        started.await();
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> diskTask.await(task, () -> false, () -> {}));
        for (int i = 0; i < 100; i++) {
            diskTask.awaitEnd(task);
        }
        assertCleansUpLater(1);
    }

    /** The step is aborted, and then the whole build. */
    @Test
    void secondInterruptDoesNotCleanUpWhileTaskHangs() throws Exception {
        Thread caller = Thread.currentThread();
        caller.interrupt();
        assertThrows(
                InterruptedException.class,
                () -> diskTask.call(() -> {
                    // the first interrupt reaches this thread
                    try {
                        answer.acquire();
                    } catch (InterruptedException e) {
                        caller.interrupt();
                    }
                    answer.acquireUninterruptibly();
                    return null;
                }));
        assertCleansUpLater(1);
    }

    /** The result of the task is published, so it must not be reported as aborted. */
    @Test
    void secondInterruptDoesNotHideResult() throws Exception {
        Thread caller = Thread.currentThread();
        caller.interrupt();
        assertEquals("done", diskTask.call(() -> {
            try {
                answer.acquire();
            } catch (InterruptedException e) {
                caller.interrupt();
            }
            while (caller.isInterrupted()) {
                Thread.onSpinWait();
            }
            return "done";
        }));
        assertTrue(Thread.interrupted());
    }

    @Test
    void callWaitsForTaskThatRespondsToInterrupt() {
        Thread.currentThread().interrupt();
        InterruptedException e = assertThrows(
                InterruptedException.class,
                () -> diskTask.call(() -> {
                    try {
                        Thread.sleep(60_000);
                    } catch (InterruptedException interrupt) {
                        throw new InterruptedException("stopped");
                    }
                    return null;
                }));
        assertEquals("stopped", e.getMessage());
    }

    /** Streams report an interrupt so, and callers would take it for a failure of the disk. */
    @Test
    void interruptedStreamIsAnAbort() {
        Thread.currentThread().interrupt();
        assertThrows(
                InterruptedException.class,
                () -> diskTask.call(() -> {
                    TestThreads.await(new CountDownLatch(1));
                    return null;
                }));
        assertFalse(Thread.interrupted(), "the exception reports the interrupt");
    }

    @Test
    void interruptStaysSetIfTaskCompletes() throws Exception {
        Thread caller = Thread.currentThread();
        assertEquals("done", diskTask.call(() -> {
            caller.interrupt();
            return "done";
        }));
        assertTrue(Thread.interrupted());
    }

    @Test
    void resourceOpenedAfterInterruptIsClosed() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        Thread.currentThread().interrupt();
        assertThrows(
                InterruptedException.class,
                () -> diskTask.<Closeable>open(() -> {
                    answer.acquireUninterruptibly();
                    return closed::countDown;
                }));
        assertEquals(1, closed.getCount(), "not opened yet");
        answer.release();
        closed.await();
    }

    @Test
    void failureOfTaskIsThrownInCaller() {
        IOException failure = new IOException("full");
        assertSame(
                failure,
                assertThrows(
                        IOException.class,
                        () -> diskTask.call(() -> {
                            throw failure;
                        })));
    }

    @Test
    void callerRunsRejectedTask() throws Exception {
        assertSame(
                Thread.currentThread(),
                new InterruptibleDiskTask(RefusingExecutor::refuse).call(Thread::currentThread));
    }

    @Test
    void callerRunsLostTask() throws Exception {
        assertSame(Thread.currentThread(), new InterruptibleDiskTask(task -> {}, 1).call(Thread::currentThread));
    }

    @Test
    void lostTaskDoesNotDelayCleanupAfterInterrupt() throws Exception {
        AtomicInteger tasks = new AtomicInteger();
        InterruptibleDiskTask diskTask = new InterruptibleDiskTask(task -> {
            if (tasks.incrementAndGet() > 1) {
                threads.execute(task);
            }
        });
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> diskTask.call(() -> "lost"));
        CountDownLatch cleaned = new CountDownLatch(1);
        diskTask.runCleanup(cleaned::countDown);
        assertEquals(0, cleaned.getCount());
    }

    /** An agent may have sent a million files, which the end of its transfer deletes. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void callerDoesNotWaitForLongCleanup() throws Exception {
        CountDownLatch cleaned = new CountDownLatch(2);
        diskTask.runCleanup(() -> {
            answer.acquireUninterruptibly();
            cleaned.countDown();
        });
        diskTask.runCleanup(cleaned::countDown);
        assertEquals(2, cleaned.getCount(), "one at a time");
        answer.release();
        cleaned.await();
    }

    /** A garbage collection may take longer than an aborted caller waits. */
    @Test
    void cleanupWhoseThreadStartsLateRuns() throws Exception {
        List<Runnable> late = new ArrayList<>();
        AtomicBoolean cleaned = new AtomicBoolean();
        Thread.currentThread().interrupt();
        new InterruptibleDiskTask(late::add).runCleanup(() -> cleaned.set(true));
        assertTrue(Thread.interrupted(), "the interrupt stays pending");
        assertFalse(cleaned.get());
        late.forEach(Runnable::run);
        assertTrue(cleaned.get());
    }

    @Test
    void startedTaskRunsOnce() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        Semaphore started = new Semaphore(0);
        new InterruptibleDiskTask(
                        task -> {
                            threads.execute(task);
                            started.acquireUninterruptibly();
                        },
                        1)
                .call(() -> {
                    started.release();
                    return runs.incrementAndGet();
                });
        assertEquals(1, runs.get());
    }
}
