package io.jenkins.plugins.compressionaware.engine.run;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Runs tasks on another executor and adds up their CPU time. Thread-safe. */
@Restricted(NoExternalUse.class)
public final class CpuTimingExecutor implements Executor {
    private final Executor executor;
    private final LongSupplier clock;
    private final LongAdder cpuNanos = new LongAdder();

    /** @param clock returns the CPU time of the calling thread, nanoseconds */
    public CpuTimingExecutor(Executor executor, LongSupplier clock) {
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

    /** Returns the CPU time of finished tasks, nanoseconds; 0 if the JVM does not measure it. */
    public long cpuNanos() {
        return cpuNanos.sum();
    }
}
