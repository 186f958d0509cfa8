package io.jenkins.plugins.compressionaware.engine.receive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.LaneHook;
import io.jenkins.plugins.compressionaware.testing.Threads;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The sender is told its credit by another thread, and whoever grants it never waits for the sender. */
@Timeout(60)
class CreditWriterTest {
    private static final long AT_ONCE = 1;
    private static final long NEVER = 3_600_000;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch writing = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final ByteArrayOutputStream told = new ByteArrayOutputStream();

    @AfterEach
    void everyThreadEnds() {
        Threads.end(threads);
    }

    /** Holds the first write until {@link #goOn}; as remoting's, it cannot be closed while it is being written to. */
    private final class Slow extends OutputStream {
        @Override
        public void write(int b) {
            throw new UnsupportedOperationException();
        }

        @Override
        public synchronized void write(byte[] grant) throws IOException {
            writing.countDown();
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new InterruptedIOException();
            }
            told.writeBytes(grant);
        }

        @Override
        public synchronized void close() {
            closed.countDown();
        }
    }

    @Test
    void whatIsNewerReplacesWhatWasNotTold() throws Exception {
        CreditWriter teller = new CreditWriter(new Slow(), threads);
        teller.send(grant(1));
        writing.await();
        teller.send(grant(2));
        teller.send(grant(3));
        goOn.countDown();
        Awaitility.await().until(() -> told.size() == 2 * Credit.Grant.BYTES);
        teller.close();
        closed.await();
        assertEquals(List.of(grant(1), grant(3)), CapturedTransfer.grants(told.toByteArray()));
    }

    @Test
    void aSenderThatNeverReadsHoldsNobodyUp() throws Exception {
        CreditWriter teller = new CreditWriter(new Slow(), threads, AT_ONCE);
        teller.send(grant(1));
        writing.await();
        teller.send(grant(2));
        teller.close();
        closed.await();
        assertEquals(0, told.size());
    }

    @Test
    void aWriteThatIsUnderWayIsNotBrokenOff() throws Exception {
        List<Thread> started = new CopyOnWriteArrayList<>();
        Executor each = task -> {
            Thread thread = new Thread(task);
            started.add(thread);
            thread.start();
        };
        CreditWriter teller = new CreditWriter(new Slow(), each, NEVER);
        teller.send(grant(1));
        writing.await();
        teller.close();
        Awaitility.await().until(() -> started.get(1).getState() == Thread.State.TIMED_WAITING);
        assertEquals(1, closed.getCount());
        goOn.countDown();
        closed.await();
        assertEquals(List.of(grant(1)), CapturedTransfer.grants(told.toByteArray()));
    }

    @Test
    void aFailedWriteIsFollowedByTheNextGrant() {
        AtomicInteger writes = new AtomicInteger();
        try (CreditWriter teller = new CreditWriter(
                new LaneHook(OutputStream.nullOutputStream(), (write, length) -> {
                    if (writes.incrementAndGet() == 1) {
                        throw new OutOfMemoryError("Java heap space");
                    }
                    return true;
                }),
                Runnable::run)) {
            teller.send(grant(1));
            assertTrue(teller.hasFailed());
            teller.send(grant(2));
            assertFalse(teller.hasFailed());
        } catch (OutOfMemoryError e) { // as it is, it would end all tests
            throw new AssertionError(e);
        }
        assertEquals(2, writes.get());
    }

    @Test
    void aStreamThatCannotBeClosedIsNoFailure() {
        OutputStream gone = new OutputStream() {
            @Override
            public void write(int b) {
                told.write(b);
            }

            @Override
            public void close() throws IOException {
                closed.countDown();
                throw new IOException("Channel is already closed");
            }
        };
        CreditWriter teller = new CreditWriter(gone, Runnable::run);
        teller.close();
        teller.send(grant(1));
        assertEquals(0, closed.getCount());
        assertEquals(0, told.size(), "nothing is told after the end");
    }

    @Test
    void noThreadIsKeptWhileThereIsNothingToTell() {
        List<Runnable> tasks = new ArrayList<>();
        try (CreditWriter teller = new CreditWriter(told, tasks::add)) {
            teller.send(grant(1));
            tasks.remove(0).run();
            assertTrue(tasks.isEmpty());
            teller.send(grant(2));
            assertFalse(tasks.isEmpty());
            tasks.remove(0).run();
        }
    }

    /** Everything has been received by then. */
    @Test
    void aThreadThatTheSystemRefusesAtTheEndIsNoFailure() {
        CreditWriter teller = new CreditWriter(told, task -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        try {
            teller.close();
        } catch (OutOfMemoryError e) { // as it is, it would end all tests
            throw new AssertionError(e);
        }
    }

    private static Credit.Grant grant(int number) {
        return new Credit.Grant(number);
    }

    /** An executor may refuse a task, or lose it after it has accepted it. */
    @Test
    void aLostTaskDoesNotSilenceTheGrantsThatFollow() throws Exception {
        AtomicInteger tasks = new AtomicInteger();
        try (CreditWriter teller = new CreditWriter(told, task -> {
            switch (tasks.incrementAndGet()) {
                case 1 -> {}
                case 2 -> throw new OutOfMemoryError("unable to create native thread");
                default -> task.run();
            }
        })) {
            teller.send(grant(1));
            teller.send(grant(2));
            teller.send(grant(3));
        } catch (OutOfMemoryError e) { // as it is, it would end all tests
            throw new AssertionError(e);
        }
        assertEquals(List.of(grant(3)), CapturedTransfer.grants(told.toByteArray()));
    }
}
