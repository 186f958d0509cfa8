package io.jenkins.plugins.compressionaware.testing;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** Finds and awaits the threads of transfers. */
public final class Threads {
    private Threads() {}

    /** Stops the tasks of a test, and waits until they and all threads of transfers have ended. */
    public static void end(ExecutorService threads) {
        threads.shutdownNow();
        boolean interrupted = Thread.interrupted();
        try {
            if (!threads.awaitTermination(60, TimeUnit.SECONDS)) {
                throw new AssertionError("A task has not ended: " + threads);
            }
            joinTransfers();
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the running threads of transfers. */
    public static List<Thread> ofTransfers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("artifact transfer:"))
                .toList();
    }

    /** Waits for the end of all threads that a transfer has started. */
    public static void joinTransfers() throws InterruptedException {
        for (Thread thread : ofTransfers()) {
            thread.join(TimeUnit.SECONDS.toMillis(60));
            if (thread.isAlive()) {
                throw new AssertionError(thread.getName() + " has not ended");
            }
        }
    }
}
