package io.jenkins.plugins.compressionaware.testing;

import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs the tasks of a test. {@link org.junit.jupiter.api.AutoClose} stops them and waits for all threads of transfers. */
public final class TestThreads extends ThreadPoolExecutor implements AutoCloseable {
    public TestThreads() {
        super(0, Integer.MAX_VALUE, 1, TimeUnit.MINUTES, new SynchronousQueue<>());
    }

    @Override
    public void close() {
        Threads.end(this);
    }
}
