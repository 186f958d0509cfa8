package io.jenkins.plugins.compressionaware.engine.http;

import io.jenkins.plugins.compressionaware.engine.run.JvmLimits;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The threads of one transfer's direct lanes. A request cannot be interrupted, and a hostile proxy can keep it running for days after the transfer. Therefore
 * the number of such threads in this JVM is limited. Thread-safe.
 */
final class LaneThreads {
    private final TransferThreads transferThreads;
    private final Set<Thread> running = ConcurrentHashMap.newKeySet();

    LaneThreads(TransferThreads transferThreads) {
        this.transferThreads = transferThreads;
    }

    /**
     * Starts a thread.
     *
     * @throws IOException if too many threads run in this JVM
     */
    void start(String role, Runnable task) throws IOException {
        if (!JvmLimits.LANE_THREADS.tryAcquire()) {
            throw new HttpLaneConnection.WrongAnswerException("too many requests have not ended", LaneFailure.STALLED);
        }
        Thread thread = null;
        boolean started = false;
        try {
            thread = transferThreads.create(role, () -> {
                try {
                    task.run();
                } finally {
                    ended(Thread.currentThread());
                }
            });
            running.add(thread);
            thread.start();
            started = true;
        } finally {
            if (!started) { // usually an OutOfMemoryError
                ended(thread);
            }
        }
    }

    private void ended(Thread thread) {
        JvmLimits.LANE_THREADS.release();
        if (thread != null) {
            running.remove(thread);
        }
    }

    /** Interrupts all threads. A request continues until its own time limit, see {@link HttpLaneConnection}. */
    void interrupt() {
        running.forEach(Thread::interrupt);
    }
}
