package io.jenkins.plugins.compressionaware.receive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AsideTest {
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    /** As a read or write of a file on a server that has died, in a build that is aborted: no interrupt ends it. */
    private static void hang(Aside aside, Semaphore answer) {
        Thread.currentThread().interrupt();
        assertThrows(
                InterruptedException.class,
                () -> aside.call(() -> {
                    answer.acquireUninterruptibly();
                    return null;
                }));
    }

    @Test
    void whatHangsHoldsNobodyAndIsTidiedUpWhenItHasEnded() throws Exception {
        Semaphore answer = new Semaphore(0);
        CountDownLatch tidied = new CountDownLatch(1);
        Aside aside = new Aside(threads);
        hang(aside, answer);
        assertFalse(Thread.interrupted(), "the exception has told it");
        aside.last(() -> {
            tidied.countDown();
            return null;
        });
        assertEquals(1, tidied.getCount(), "the disk is still in use");
        answer.release();
        tidied.await();
    }

    /** Two receivers have one: of what was received, and of what was then sent again. */
    @Test
    void eachThatTidiesUpLaterHasItsTurn() throws Exception {
        Semaphore answer = new Semaphore(0);
        CountDownLatch tidied = new CountDownLatch(2);
        Aside aside = new Aside(threads);
        hang(aside, answer);
        for (int i = 0; i < 2; i++) {
            aside.last(() -> {
                tidied.countDown();
                return null;
            });
        }
        assertEquals(2, tidied.getCount(), "the disk is still in use");
        answer.release();
        tidied.await();
    }

    /** An abort of a step, and then of the whole build. */
    @Test
    void aSecondInterruptDoesNotTidyUpUnderWhatHangs() throws Exception {
        Semaphore answer = new Semaphore(0);
        CountDownLatch tidied = new CountDownLatch(1);
        Aside aside = new Aside(threads);
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
        aside.last(() -> {
            tidied.countDown();
            return null;
        });
        assertEquals(1, tidied.getCount(), "the disk is still in use");
        answer.release();
        tidied.await();
    }

    @Test
    void whatHeedsTheInterruptIsWaitedFor() {
        Aside aside = new Aside(threads);
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
        Aside aside = new Aside(threads);
        Thread caller = Thread.currentThread();
        assertEquals("done", aside.call(() -> {
            caller.interrupt();
            return "done";
        }));
        assertTrue(Thread.interrupted());
    }

    @Test
    void aFailureIsTheCallers() {
        IOException failure = new IOException("full");
        assertSame(
                failure,
                assertThrows(
                        IOException.class,
                        () -> new Aside(threads).call(() -> {
                            throw failure;
                        })));
    }

    @Test
    void whereThereIsNoThreadTheCallerDoesIt() throws Exception {
        Aside aside = new Aside(task -> {
            throw new RejectedExecutionException();
        });
        assertSame(Thread.currentThread(), aside.call(Thread::currentThread));
    }
}
