package io.jenkins.plugins.compressionaware.engine.adaptive.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;

/** A simulated line whose connections get equal shares. */
final class SimLine {
    private static final int QUANTUM = 32 * 1024;

    private final SimClock clock;
    private final double bytesPerNano;
    private final Map<Object, Deque<Job>> queues = new LinkedHashMap<>();
    private boolean busy;

    private static final class Job {
        private int left;
        private final Runnable sent;

        Job(int left, Runnable sent) {
            this.left = left;
            this.sent = sent;
        }
    }

    SimLine(SimClock clock, double bytesPerNano) {
        this.clock = clock;
        this.bytesPerNano = bytesPerNano;
    }

    void send(Object connection, int bytes, Runnable sent) {
        queues.computeIfAbsent(connection, c -> new ArrayDeque<>()).add(new Job(bytes, sent));
        if (!busy) {
            serve();
        }
    }

    /** Drops what a connection has not sent. */
    void cancel(Object connection) {
        queues.remove(connection);
    }

    private void serve() {
        busy = !queues.isEmpty();
        if (!busy) {
            return;
        }
        Object connection = queues.keySet().iterator().next();
        Deque<Job> queue = queues.remove(connection);
        Job job = queue.element();
        int n = Math.min(QUANTUM, job.left);
        job.left -= n;
        if (job.left == 0) {
            queue.remove();
        }
        if (!queue.isEmpty()) {
            queues.put(connection, queue);
        }
        clock.after(n / bytesPerNano, () -> {
            if (job.left == 0) {
                job.sent.run();
            }
            serve();
        });
    }
}
