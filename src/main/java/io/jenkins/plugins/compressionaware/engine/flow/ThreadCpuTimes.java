package io.jenkins.plugins.compressionaware.engine.flow;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * CPU time of the threads of one transfer: of the creating thread from when it is measured, and of added threads from their start.
 * Measuring loads a hundred classes of the platform, so a JVM does not measure before {@link #enable}.
 */
@Restricted(NoExternalUse.class)
public final class ThreadCpuTimes {
    private static volatile ThreadMXBean beans;
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
    private final Thread owner = Thread.currentThread();
    private volatile long start = of(owner);

    /** Makes this JVM measure from now on. May take a tenth of a second in a fresh one. */
    public static void enable() {
        if (beans == null) {
            beans = ManagementFactory.getThreadMXBean();
        }
    }

    /** Counts the creating thread's CPU time from now on, unless it is counted already. */
    public void enableAndRestart() {
        enable();
        if (start < 0) {
            start = of(owner);
        }
    }

    /** CPU time of the calling thread since its start, nanoseconds; -1 where it is not measured. */
    public static long current() {
        ThreadMXBean all = beans;
        return all != null && all.isCurrentThreadCpuTimeSupported() ? all.getCurrentThreadCpuTime() : -1;
    }

    /** Counts a thread, which need not have been started. */
    public void add(Thread thread) {
        // a slow disk's writers come and go: without this, a transfer of a million files would keep a hundred thousand
        // of them
        for (Thread each : threads) {
            if (each.getState() == Thread.State.TERMINATED) {
                threads.remove(each);
            }
        }
        threads.add(thread);
    }

    /** Nanoseconds until now, without threads that have ended; -1 where it is not measured. */
    public long cpuNanos() {
        if (start < 0) {
            return -1;
        }
        long sum = of(owner) - start;
        for (Thread thread : threads) {
            sum += Math.max(0, of(thread)); // -1 for a thread that has ended
        }
        return sum;
    }

    private static long of(Thread thread) {
        ThreadMXBean all = beans;
        return all != null && all.isThreadCpuTimeSupported() ? all.getThreadCpuTime(thread.getId()) : -1;
    }
}
