package io.jenkins.plugins.compressionaware.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** What tests need to know about threads. */
public final class Threads {
    private Threads() {}

    /** Stops the tasks of a test and waits until they and all threads of transfers have ended. */
    public static void end(ExecutorService threads) {
        threads.shutdownNow();
        boolean interrupted = Thread.interrupted();
        try {
            if (!threads.awaitTermination(60, TimeUnit.SECONDS)) {
                throw new AssertionError("A task does not end: " + threads);
            }
            joinTransfers();
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The threads of transfers that run now. */
    public static List<Thread> ofTransfers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("artifact transfer:"))
                .toList();
    }

    /** Waits for the end of every thread that a transfer has started. */
    public static void joinTransfers() throws InterruptedException {
        for (Thread thread : ofTransfers()) {
            thread.join(TimeUnit.SECONDS.toMillis(60));
            if (thread.isAlive()) {
                throw new AssertionError(thread.getName() + " does not end");
            }
        }
    }

    /** Transfers at a time: many more leave so little of a small JVM's heap budget that a recorded stream, which waits for nothing, exceeds its credit. */
    private static final int AT_A_TIME = 4;

    /** Runs cases side by side, for those that spend their time waiting. Throws the first failure. */
    public static void runAll(List<Callable<Void>> cases) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(AT_A_TIME);
        try {
            List<Future<Void>> results = new ArrayList<>(threads.invokeAll(cases));
            for (Future<Void> result : results) {
                result.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
