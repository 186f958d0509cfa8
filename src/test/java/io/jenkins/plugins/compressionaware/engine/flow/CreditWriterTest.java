package io.jenkins.plugins.compressionaware.engine.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.CapturedTransfer;
import io.jenkins.plugins.compressionaware.testing.LaneHook;
import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CreditWriterTest {
    @AutoClose
    private final ExecutorService threads = new TestThreads();

    private final CountDownLatch writing = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

    /** Blocks writes until {@link #goOn}. Like Remoting's stream, it cannot be closed during a write. */
    private final class Slow extends OutputStream {
        @Override
        public void write(int b) {
            throw new UnsupportedOperationException();
        }

        @Override
        public synchronized void write(byte[] grant) throws IOException {
            writing.countDown();
            TestThreads.await(goOn);
            sent.writeBytes(grant);
        }

        @Override
        public synchronized void close() {
            closed.countDown();
        }
    }

    @Test
    void newerGrantReplacesUnsentOne() throws Exception {
        CreditWriter writer = new CreditWriter(new Slow(), threads);
        writer.send(1);
        writing.await();
        writer.send(2);
        writer.send(3);
        goOn.countDown();
        Awaitility.await().until(() -> sent.size() == 2 * Long.BYTES);
        writer.close();
        closed.await();
        assertEquals(List.of(1L, 3L), CapturedTransfer.limits(sent.toByteArray()));
    }

    /** An interrupt would cut the command short, and the agent would read another build's command as the rest. */
    @Test
    void closeLetsRunningWriteFinish() throws Exception {
        List<Thread> started = new CopyOnWriteArrayList<>();
        Executor each = task -> {
            Thread thread = new Thread(task);
            started.add(thread);
            thread.start();
        };
        CreditWriter writer = new CreditWriter(new Slow(), each);
        writer.send(1);
        writing.await();
        writer.send(2);
        writer.close();
        Awaitility.await().until(() -> started.get(1).getState() == Thread.State.BLOCKED);
        assertEquals(1, closed.getCount());
        goOn.countDown();
        closed.await();
        assertEquals(List.of(1L), CapturedTransfer.limits(sent.toByteArray()));
    }

    @Test
    void nextGrantIsSentAfterFailedWrite() {
        AtomicInteger writes = new AtomicInteger();
        try (CreditWriter writer = new CreditWriter(
                new LaneHook(OutputStream.nullOutputStream(), (write, length) -> {
                    if (writes.incrementAndGet() == 1) {
                        throw new OutOfMemoryError("Java heap space");
                    }
                    return true;
                }),
                Runnable::run)) {
            writer.send(1);
            assertTrue(writer.hasFailed());
            writer.send(2);
            assertFalse(writer.hasFailed());
        } catch (OutOfMemoryError e) { // as it is, it would end all tests
            throw new AssertionError(e);
        }
        assertEquals(2, writes.get());
    }

    @Test
    void failureToCloseStreamIsIgnored() {
        OutputStream gone = new OutputStream() {
            @Override
            public void write(int b) {
                sent.write(b);
            }

            @Override
            public void close() throws IOException {
                closed.countDown();
                throw new IOException("Channel is already closed");
            }
        };
        CreditWriter writer = new CreditWriter(gone, Runnable::run);
        writer.close();
        writer.send(1);
        assertEquals(0, closed.getCount());
        assertEquals(0, sent.size(), "sent after close");
    }

    @Test
    void threadIsUsedOnlyWhileGrantIsPending() {
        List<Runnable> tasks = new ArrayList<>();
        try (CreditWriter writer = new CreditWriter(sent, tasks::add)) {
            writer.send(1);
            tasks.remove(0).run();
            assertTrue(tasks.isEmpty());
            writer.send(2);
            assertFalse(tasks.isEmpty());
            tasks.remove(0).run();
        }
    }

    /** By then, everything has been received. */
    @Test
    void closeIgnoresRefusedThread() {
        CreditWriter writer = new CreditWriter(sent, task -> {
            throw new OutOfMemoryError("unable to create native thread");
        });
        try {
            writer.close();
        } catch (OutOfMemoryError e) { // as it is, it would end all tests
            throw new AssertionError(e);
        }
    }

    @Test
    void nextGrantIsSentAfterLostOrRefusedTask() throws Exception {
        AtomicInteger tasks = new AtomicInteger();
        try (CreditWriter writer = new CreditWriter(sent, task -> {
            switch (tasks.incrementAndGet()) {
                case 1 -> {}
                case 2 -> throw new OutOfMemoryError("unable to create native thread");
                default -> task.run();
            }
        })) {
            writer.send(1);
            writer.send(2);
            writer.send(3);
        } catch (OutOfMemoryError e) { // as it is, it would end all tests
            throw new AssertionError(e);
        }
        assertEquals(List.of(3L), CapturedTransfer.limits(sent.toByteArray()));
    }
}
