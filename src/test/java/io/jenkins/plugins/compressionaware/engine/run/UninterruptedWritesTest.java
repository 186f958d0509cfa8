package io.jenkins.plugins.compressionaware.engine.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.jenkins.plugins.compressionaware.testing.TestThreads;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class UninterruptedWritesTest {
    private final UninterruptedWrites writes = new UninterruptedWrites();
    private final CountDownLatch writing = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    /** However slow the link is: a channel of 64 kbit/s takes 13 s for a write. */
    @Test
    void closeNeverInterruptsWritingThread() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream() {
            @Override
            public void write(byte[] bytes) throws IOException {
                writing.countDown();
                TestThreads.await(goOn);
                super.write(bytes);
            }
        };
        FutureTask<Boolean> writer = new FutureTask<>(() -> {
            assertThrows(InterruptedIOException.class, () -> writes.write(out, new byte[9]));
            return Thread.interrupted();
        });
        Thread writingThread = new Thread(writer);
        Thread waitingThread = new Thread(
                () -> assertThrows(InterruptedIOException.class, () -> TestThreads.await(new CountDownLatch(1))));
        writingThread.start();
        waitingThread.start();
        writing.await();

        writes.close(List.of(writingThread, waitingThread));

        waitingThread.join();
        goOn.countDown();
        assertFalse(writer.get(), "interrupted");
        assertEquals(9, out.size());
    }

    /** Remoting does not wake a thread that waits for the other end to read. */
    @Test
    void endOfChannelInterruptsWritingThread() throws Exception {
        OutputStream out = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                writing.countDown();
                TestThreads.await(goOn);
            }
        };
        FutureTask<?> writer = new FutureTask<>(
                () -> assertThrows(InterruptedIOException.class, () -> writes.write(out, new byte[9])));
        new Thread(writer).start();
        writing.await();
        assertFalse(writes.close(List.of()), "no thread is writing");
        writes.channelClosed();
        writer.get();
    }

    @Test
    void nothingIsWrittenAfterClose() throws Exception {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        assertTrue(writes.close(List.of(Thread.currentThread())), "no thread is writing");
        assertTrue(Thread.interrupted());
        assertThrows(InterruptedIOException.class, () -> writes.write(out, new byte[9]));
        assertEquals(0, out.size());
    }
}
