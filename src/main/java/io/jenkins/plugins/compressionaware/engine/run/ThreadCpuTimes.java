package io.jenkins.plugins.compressionaware.engine.run;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Measures the CPU time of a transfer's creating thread, from the start of the measurement, and of all added threads, from their own start. Measuring loads a
 * hundred classes of the JDK, so a JVM measures only after {@link #enable}. Thread-safe.
 */
@Restricted(NoExternalUse.class)
public final class ThreadCpuTimes {
    private static volatile ThreadMXBean beans;
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
    private final Thread owner = Thread.currentThread();
    private volatile long start = nanosOf(owner);

    /** Enables measurement in this JVM. May take a tenth of a second in a fresh JVM. */
    public static void enable() {
        if (beans == null) {
            beans = ManagementFactory.getThreadMXBean();
        }
    }

    /** Enables measurement, and starts it for the creating thread unless it is running already. */
    public void enableAndRestart() {
        enable();
        if (start < 0) {
            start = nanosOf(owner);
        }
    }

    /** Returns the CPU time of the calling thread since its start, nanoseconds; -1 if it is not measured. */
    public static long current() {
        ThreadMXBean bean = beans;
        return bean != null && bean.isCurrentThreadCpuTimeSupported() ? bean.getCurrentThreadCpuTime() : -1;
    }

    /** Adds the calling thread. If the heap is full, the thread is not measured. */
    void addCurrentThread() {
        try {
            // on a slow disk, writer threads end and are replaced all the time: ended threads would fill the heap
            for (Thread each : threads) {
                if (each.getState() == Thread.State.TERMINATED) {
                    threads.remove(each);
                }
            }
            threads.add(Thread.currentThread());
        } catch (OutOfMemoryError e) {
            return; // the thread has work to do
        }
    }

    /** Returns the CPU time so far, nanoseconds, without threads that have ended; -1 if it is not measured. */
    public long cpuNanos() {
        if (start < 0) {
            return -1;
        }
        long sum = nanosOf(owner) - start;
        for (Thread thread : threads) {
            sum += Math.max(0, nanosOf(thread)); // -1 for a thread that has ended
        }
        return sum;
    }

    private static long nanosOf(Thread thread) {
        ThreadMXBean bean = beans;
        return bean != null && bean.isThreadCpuTimeSupported() ? bean.getThreadCpuTime(thread.getId()) : -1;
    }
}
