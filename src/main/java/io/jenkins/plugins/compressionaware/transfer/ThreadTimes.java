package io.jenkins.plugins.compressionaware.transfer;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Processor time of the threads of one transfer: the one that makes this, from then on, and those that are added, from their start. */
public final class ThreadTimes {
    private static final ThreadMXBean BEANS = ManagementFactory.getThreadMXBean();
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
    private final Thread owner = Thread.currentThread();
    private final long start = of(owner);

    /** Processor time of the calling thread since its start, nanoseconds; -1 where the JVM does not tell. */
    public static long current() {
        return BEANS.isCurrentThreadCpuTimeSupported() ? BEANS.getCurrentThreadCpuTime() : -1;
    }

    /** Counts a thread, which need not have been started. */
    public void add(Thread thread) {
        threads.add(thread);
    }

    /** Nanoseconds until now, without threads that have ended; -1 where the JVM does not tell. */
    public long cpuNanos() {
        if (start < 0) {
            return -1;
        }
        // a thread that has ended counts as -1
        return of(owner)
                - start
                + threads.stream()
                        .mapToLong(this::of)
                        .filter(nanos -> nanos > 0)
                        .sum();
    }

    private long of(Thread thread) {
        return BEANS.isThreadCpuTimeSupported() ? BEANS.getThreadCpuTime(thread.getId()) : -1;
    }
}
