package io.jenkins.plugins.compressionaware.engine.run;

import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.ref.WeakReference;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ThreadCpuTimesTest {
    /** A transfer to a slow disk starts a thread for every few files. */
    @Test
    void endedThreadsAreReleased() throws Exception {
        ThreadCpuTimes times = new ThreadCpuTimes();
        WeakReference<Thread> ended = new WeakReference<>(ended(times));
        ended(times);
        while (ended.get() != null) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(10);
        }
        assertNull(ended.get());
        times.cpuNanos();
    }

    /** Under a limit of processes, a transfer with many small files asks for a thread for each of them. */
    @Test
    void refusedThreadsAreReleased() throws Exception {
        ThreadCpuTimes times = new ThreadCpuTimes();
        WeakReference<Thread> refused = new WeakReference<>(new TransferThreads(times).create("test", () -> {}));
        while (refused.get() != null) {
            System.gc();
            TimeUnit.MILLISECONDS.sleep(10);
        }
        times.cpuNanos();
    }

    private static Thread ended(ThreadCpuTimes times) throws InterruptedException {
        Thread thread = new TransferThreads(times).create("test", () -> {});
        thread.start();
        thread.join();
        return thread;
    }
}
