package io.jenkins.plugins.compressionaware.engine.receive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class InterruptibleDiskTaskTest {
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    /** As a read or write of a file on a server that has died, in a build that is aborted: no interrupt ends it. */
    private static void hang(InterruptibleDiskTask aside, Semaphore answer) {
        Thread.currentThread().interrupt();
        assertThrows(
                InterruptedException.class,
                () -> aside.call(() -> {
                    answer.acquireUninterruptibly();
                    return null;
                }));
    }

    /** So often, each in its turn, once what hangs has ended. */
    private static void assertTidiesUpLater(InterruptibleDiskTask aside, int times, Semaphore answer) throws Exception {
        CountDownLatch tidied = new CountDownLatch(times);
        for (int i = 0; i < times; i++) {
            aside.runCleanup(tidied::countDown);
        }
        assertEquals(times, tidied.getCount(), "the disk is still in use");
        answer.release();
        tidied.await();
    }

    /** Two receivers have one: of what was received, and of what was then sent again. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whatHangsHoldsNobodyAndIsTidiedUpWhenItHasEnded(int receivers) throws Exception {
        Semaphore answer = new Semaphore(0);
        InterruptibleDiskTask aside = new InterruptibleDiskTask(threads);
        hang(aside, answer);
        assertFalse(Thread.interrupted(), "the exception has told it");
        assertTidiesUpLater(aside, receivers, answer);
    }

    /** An abort of a step, and then of the whole build. */
    @Test
    void aSecondInterruptDoesNotTidyUpUnderWhatHangs() throws Exception {
        Semaphore answer = new Semaphore(0);
        InterruptibleDiskTask aside = new InterruptibleDiskTask(threads);
        Thread caller = Thread.currentThread();
        caller.interrupt();
        assertThrows(
                InterruptedException.class,
                () -> aside.call(() -> {
                    // the first interrupt reaches this thread
                    try {
                        answer.acquire();
                    } catch (InterruptedException e) {
                        caller.interrupt();
                    }
                    answer.acquireUninterruptibly();
                    return null;
                }));
        assertTidiesUpLater(aside, 1, answer);
    }

    @Test
    void whatHeedsTheInterruptIsWaitedFor() {
        InterruptibleDiskTask aside = new InterruptibleDiskTask(threads);
        Thread.currentThread().interrupt();
        InterruptedException e = assertThrows(
                InterruptedException.class,
                () -> aside.call(() -> {
                    try {
                        Thread.sleep(60_000);
                    } catch (InterruptedException interrupt) {
                        throw new InterruptedException("what has arrived");
                    }
                    return null;
                }));
        assertEquals("what has arrived", e.getMessage());
    }

    @Test
    void anInterruptThatComesTooLateIsKept() throws Exception {
        InterruptibleDiskTask aside = new InterruptibleDiskTask(threads);
        Thread caller = Thread.currentThread();
        assertEquals("done", aside.call(() -> {
            caller.interrupt();
            return "done";
        }));
        assertTrue(Thread.interrupted());
    }

    @Test
    void whatIsOpenedTooLateIsClosed() throws Exception {
        Semaphore answer = new Semaphore(0);
        CountDownLatch closed = new CountDownLatch(1);
        Thread.currentThread().interrupt();
        assertThrows(
                InterruptedException.class,
                () -> new InterruptibleDiskTask(threads).<Closeable>open(() -> {
                    answer.acquireUninterruptibly();
                    return closed::countDown;
                }));
        assertEquals(1, closed.getCount(), "it is not there yet");
        answer.release();
        closed.await();
    }

    @Test
    void aFailureIsTheCallers() {
        IOException failure = new IOException("full");
        assertSame(
                failure,
                assertThrows(
                        IOException.class,
                        () -> new InterruptibleDiskTask(threads).call(() -> {
                            throw failure;
                        })));
    }

    @Test
    void whereThereIsNoThreadTheCallerDoesIt() throws Exception {
        InterruptibleDiskTask aside = new InterruptibleDiskTask(task -> {
            throw new RejectedExecutionException();
        });
        assertSame(Thread.currentThread(), aside.call(Thread::currentThread));
    }

    /** An executor may lose a task after it has accepted it. */
    @Test
    void whatNoThreadBeginsTheCallerDoes() throws Exception {
        assertSame(Thread.currentThread(), new InterruptibleDiskTask(task -> {}, 1).call(Thread::currentThread));
    }

    @Test
    void afterAnAbortALostTaskHoldsUpNothing() throws Exception {
        AtomicInteger tasks = new AtomicInteger();
        InterruptibleDiskTask aside = new InterruptibleDiskTask(task -> {
            if (tasks.incrementAndGet() > 1) {
                threads.execute(task);
            }
        });
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> aside.call(() -> "lost"));
        CountDownLatch tidied = new CountDownLatch(1);
        aside.runCleanup(tidied::countDown);
        assertEquals(0, tidied.getCount());
    }

    @Test
    void whatAThreadHasBegunIsNotDoneTwice() throws Exception {
        AtomicInteger done = new AtomicInteger();
        Semaphore begun = new Semaphore(0);
        new InterruptibleDiskTask(
                        task -> {
                            threads.execute(task);
                            begun.acquireUninterruptibly();
                        },
                        1)
                .call(() -> {
                    begun.release();
                    return done.incrementAndGet();
                });
        assertEquals(1, done.get());
    }
}
