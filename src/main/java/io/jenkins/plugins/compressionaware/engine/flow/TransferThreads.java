package io.jenkins.plugins.compressionaware.engine.flow;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Makes all threads of one transfer: daemons that are named by their role, and whose CPU time counts as the transfer's. */
@Restricted(NoExternalUse.class)
public final class TransferThreads {
    private static final Logger LOGGER = Logger.getLogger(TransferThreads.class.getName());

    private final ThreadCpuTimes times;
    private final ThreadFactory factory;

    public TransferThreads(ThreadCpuTimes times) {
        this(times, Thread::new);
    }

    public TransferThreads(ThreadCpuTimes times, ThreadFactory factory) {
        this.times = times;
        this.factory = factory;
    }

    /** Creates a thread without starting it. */
    public Thread create(String role, Runnable task) {
        Thread thread = factory.newThread(task);
        thread.setName("artifact transfer: " + role);
        thread.setDaemon(true);
        times.add(thread);
        return thread;
    }

    /** Starts a thread for a task that a transfer can do without: nothing happens if the system refuses one. */
    public void startOptional(String role, Runnable task) {
        try {
            create(role, task).start();
        } catch (OutOfMemoryError e) {
            LOGGER.log(Level.FINE, e, () -> "No thread to " + role);
        }
    }

    /** A pool for short tasks, with a thread for each that runs at a time; idle threads are kept for a while. The caller shuts it down. */
    public ExecutorService pool(String role) {
        return Executors.newCachedThreadPool(task -> create(role, task));
    }

    /** Begins to measure CPU time, on a thread of its own: the first time costs a fresh JVM a tenth of a second. */
    public void startCpuMeasurement() {
        startOptional("measure", times::enableAndRestart);
    }
}
