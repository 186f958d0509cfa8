package io.jenkins.plugins.compressionaware.engine.run;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Creates all threads of one transfer as daemons named after their role, and adds their CPU time to the transfer's. Thread-safe. */
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
        // added when it runs: a thread that the system refuses would be kept until the end of the transfer
        Thread thread = factory.newThread(() -> {
            times.addCurrentThread();
            task.run();
        });
        thread.setName("artifact transfer: " + role);
        thread.setDaemon(true);
        return thread;
    }

    /** Returns a pool for short tasks, with one thread per running task; idle threads are reused. The caller shuts the pool down. */
    public ExecutorService pool(String role) {
        return Executors.newCachedThreadPool(task -> create(role, task));
    }

    /**
     * Starts measuring CPU time, on a separate thread because that can take a fresh JVM a tenth of a second. If the system refuses the thread, CPU time is
     * not measured.
     */
    public void startCpuMeasurement() {
        try {
            create("measure", times::enableAndRestart).start();
        } catch (OutOfMemoryError e) {
            LOGGER.log(Level.FINE, "No thread to measure CPU time", e);
        }
    }
}
