package io.jenkins.plugins.compressionaware.receive;

import io.jenkins.plugins.compressionaware.transfer.ThreadTimes;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;

/** Another executor, with the CPU time of what this one has given it. */
final class CountedExecutor implements Executor {
    private final Executor executor;
    private final LongAdder cpuNanos = new LongAdder();

    CountedExecutor(Executor executor) {
        this.executor = executor;
    }

    @Override
    public void execute(Runnable task) {
        executor.execute(() -> {
            long start = ThreadTimes.current();
            try {
                task.run();
            } finally {
                cpuNanos.add(ThreadTimes.current() - start);
            }
        });
    }

    /** CPU time of the tasks that have ended, nanoseconds; 0 where the JVM does not tell. */
    long cpuNanos() {
        return cpuNanos.sum();
    }
}
