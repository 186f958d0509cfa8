package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.transfer.ThreadTimes;
import java.util.concurrent.ThreadFactory;

/** Makes all threads of one transfer: daemons whose names tell what they do, and whose processor time counts as the transfer's. */
final class TransferThreads {
    private final ThreadTimes times;
    private final ThreadFactory factory;

    TransferThreads(ThreadTimes times) {
        this(times, Thread::new);
    }

    TransferThreads(ThreadTimes times, ThreadFactory factory) {
        this.times = times;
        this.factory = factory;
    }

    /** A thread that has not been started. */
    Thread create(String role, Runnable task) {
        Thread thread = factory.newThread(task);
        thread.setName("artifact transfer: " + role);
        thread.setDaemon(true);
        times.add(thread);
        return thread;
    }
}
