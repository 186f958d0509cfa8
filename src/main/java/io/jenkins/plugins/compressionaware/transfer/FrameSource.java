package io.jenkins.plugins.compressionaware.transfer;

import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Hands frames to the lanes in the order of their numbers. Credit is taken in that order, too: a later frame must never use up what an
 * earlier one, still in the hands of another lane, needs to be sent, since the receiver consumes in order.
 */
final class FrameSource {
    /** What follows the last frame. */
    static final Future<Frame> END = CompletableFuture.completedFuture(null);

    private final Credit.Gate gate;
    private final BlockingQueue<Future<Frame>> queue;
    private final ReentrantLock taking = new ReentrantLock();
    private long taken;
    private boolean ended;
    private volatile boolean waitingForCredit;

    /**
     * @param bytes  the frame at their start
     * @param length of the frame, bytes
     */
    record Frame(byte[] bytes, int length) {}

    /**
     * @param frame        null after the last
     * @param heldNanos    time in which there was no credit, nanoseconds
     * @param starvedNanos time in which there was no frame, nanoseconds
     */
    record Taken(Frame frame, long heldNanos, long starvedNanos) {}

    FrameSource(Credit.Gate gate, int capacity) {
        this.gate = gate;
        queue = new ArrayBlockingQueue<>(capacity);
    }

    /** Appends a frame; false if there was no room for it in time. Called by one thread. */
    boolean offer(Future<Frame> frame, long time, TimeUnit unit) throws InterruptedException {
        return queue.offer(frame, time, unit);
    }

    /** The next frame, with the credit to send it. Called by every lane. */
    Taken take() throws IOException, InterruptedException, ExecutionException {
        long start = System.nanoTime();
        boolean othersWaitForCredit = waitingForCredit;
        taking.lockInterruptibly();
        try {
            long locked = System.nanoTime();
            if (ended) {
                return new Taken(null, 0, 0);
            }
            Frame frame = queue.take().get();
            if (frame == null) {
                ended = true;
                return new Taken(null, 0, 0);
            }
            long found = System.nanoTime();
            taken += frame.length;
            waitingForCredit = true;
            gate.await(taken);
            long held = System.nanoTime() - found;
            return othersWaitForCredit
                    ? new Taken(frame, held + locked - start, found - locked)
                    : new Taken(frame, held, found - start);
        } finally {
            waitingForCredit = false;
            taking.unlock();
        }
    }
}
