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

    /**
     * @param bytes  the frame at their start
     * @param length of the frame, bytes
     */
    record Frame(byte[] bytes, int length) {}

    FrameSource(Credit.Gate gate, int capacity) {
        this.gate = gate;
        queue = new ArrayBlockingQueue<>(capacity);
    }

    /** Appends a frame; false if there was no room for it in time. Called by one thread. */
    boolean offer(Future<Frame> frame, long time, TimeUnit unit) throws InterruptedException {
        return queue.offer(frame, time, unit);
    }

    /** The next frame, with the credit to send it; null after the last. Called by every lane. */
    Frame take() throws IOException, InterruptedException, ExecutionException {
        taking.lockInterruptibly();
        try {
            if (ended) {
                return null;
            }
            Frame frame = queue.take().get();
            if (frame == null) {
                ended = true;
                return null;
            }
            taken += frame.length;
            gate.await(taken);
            return frame;
        } finally {
            taking.unlock();
        }
    }
}
