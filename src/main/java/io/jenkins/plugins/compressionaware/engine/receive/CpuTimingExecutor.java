package io.jenkins.plugins.compressionaware.engine.receive;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/** Passes tasks to another executor and counts their CPU time. */
final class CpuTimingExecutor implements Executor {
    private final Executor executor;
    private final LongSupplier clock;
    private final LongAdder cpuNanos = new LongAdder();

    /** @param clock CPU time of the calling thread, nanoseconds */
    CpuTimingExecutor(Executor executor, LongSupplier clock) {
        this.executor = executor;
        this.clock = clock;
    }

    @Override
    public void execute(Runnable task) {
        executor.execute(() -> {
            long start = clock.getAsLong();
            try {
                task.run();
            } finally {
                cpuNanos.add(clock.getAsLong() - start);
            }
        });
    }

    /** CPU time of the tasks that have ended, nanoseconds; 0 where the JVM does not tell. */
    long cpuNanos() {
        return cpuNanos.sum();
    }
}
