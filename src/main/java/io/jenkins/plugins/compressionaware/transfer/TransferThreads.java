package io.jenkins.plugins.compressionaware.transfer;

import java.util.concurrent.ThreadFactory;

/** Makes all threads of one transfer: daemons whose names tell what they do, and whose processor time counts as the transfer's. */
public final class TransferThreads {
    private final ThreadTimes times;
    private final ThreadFactory factory;

    public TransferThreads(ThreadTimes times) {
        this(times, Thread::new);
    }

    public TransferThreads(ThreadTimes times, ThreadFactory factory) {
        this.times = times;
        this.factory = factory;
    }

    /** A thread that has not been started. */
    public Thread create(String role, Runnable task) {
        Thread thread = factory.newThread(task);
        thread.setName("artifact transfer: " + role);
        thread.setDaemon(true);
        times.add(thread);
        return thread;
    }

    /** Has processor time measured from now on, by a thread of its own: the first time costs a fresh JVM a tenth of a second. */
    public void measure() {
        create("measure", times::beginNow).start();
    }
}
