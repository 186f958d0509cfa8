package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.transfer.Credit;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Hands frames to the lanes in the order of their numbers. Credit is taken in that order, too: a later frame must never use up what an
 * earlier one, still in the hands of another lane, needs to be sent, since the receiver consumes in order.
 *
 * <p>There are two kinds of lanes. Those that cannot lose a frame without ending the transfer call {@link #takeInReserve}. Direct lanes
 * can, call {@link #take}, and give back what they could not deliver. While there are direct lanes the others get only what was given back,
 * so at least one of them is always free to send it: it never waits for credit that such a frame needs.
 */
final class FrameSource {
    /** What follows the last frame. */
    static final Future<EncodedFrame> END = CompletableFuture.completedFuture(null);

    private static final Taken NO_MORE = new Taken(null, 0, 0);

    private final CreditGate gate;
    private final BlockingQueue<Future<EncodedFrame>> queue;
    private final Queue<byte[]> spare = new ConcurrentLinkedQueue<>();
    private final ReentrantLock taking = new ReentrantLock();
    private long taken;
    private volatile boolean waitingForCredit;

    // guarded by this, as are the next three
    private final Queue<EncodedFrame> givenBack = new ArrayDeque<>();
    private int directLanes;
    private boolean ended;
    private IOException failure;

    /**
     * @param frame        null after the last
     * @param heldNanos    time in which there was no credit, nanoseconds
     * @param starvedNanos time in which there was no frame, nanoseconds
     */
    record Taken(EncodedFrame frame, long heldNanos, long starvedNanos) {}

    FrameSource(CreditGate gate, int capacity) {
        this.gate = gate;
        queue = new ArrayBlockingQueue<>(capacity);
    }

    /** Appends a frame; false if there was no room for it in time. Called by one thread. */
    boolean offer(Future<EncodedFrame> frame, long time, TimeUnit unit) throws InterruptedException {
        return queue.offer(frame, time, unit);
    }

    /** An array that a delivered frame was in; null if there is none. */
    byte[] spare() {
        return spare.poll();
    }

    /** The frame has been delivered: its array is free. */
    void delivered(EncodedFrame frame) {
        spare.add(frame.bytes());
    }

    /** The next frame, with the credit to send it. */
    Taken take() throws IOException, InterruptedException, ExecutionException {
        long start = System.nanoTime();
        boolean othersWaitForCredit = waitingForCredit;
        taking.lockInterruptibly();
        try {
            return next(start, othersWaitForCredit);
        } finally {
            taking.unlock();
        }
    }

    /** The next frame if it and the credit for it are there now and it is no longer than {@code most} bytes; else null. */
    EncodedFrame takeNow(int most) throws IOException, InterruptedException, ExecutionException {
        if (!taking.tryLock()) {
            return null;
        }
        try {
            Future<EncodedFrame> first = queue.peek();
            if (first == null || !first.isDone()) {
                return null;
            }
            EncodedFrame frame = first.get();
            if (frame == null || frame.length() > most || !gate.allows(taken + frame.length())) {
                return null;
            }
            queue.remove();
            taken += frame.length();
            return frame;
        } finally {
            taking.unlock();
        }
    }

    /** What a direct lane gave back; if there are no direct lanes, the next frame. Waits for the one or the other. */
    Taken takeInReserve() throws IOException, InterruptedException, ExecutionException {
        while (true) {
            long start = System.nanoTime();
            EncodedFrame frame = awaitReturn();
            if (frame != null) {
                return new Taken(frame, 0, 0);
            }
            boolean othersWaitForCredit = waitingForCredit;
            taking.lockInterruptibly();
            try {
                if (nobodyElses()) {
                    return next(start, othersWaitForCredit);
                }
            } finally {
                taking.unlock();
            }
        }
    }

    private synchronized EncodedFrame awaitReturn() throws IOException, InterruptedException {
        while (failure == null && givenBack.isEmpty() && directLanes > 0) {
            wait();
        }
        if (failure != null) {
            throw failure;
        }
        return givenBack.poll();
    }

    private synchronized boolean nobodyElses() {
        return directLanes == 0 && givenBack.isEmpty();
    }

    private Taken next(long start, boolean othersWaitForCredit)
            throws IOException, InterruptedException, ExecutionException {
        long locked = System.nanoTime();
        if (hasEnded()) {
            return NO_MORE;
        }
        EncodedFrame frame = queue.take().get();
        if (frame == null) {
            end();
            return NO_MORE;
        }
        long found = System.nanoTime();
        taken += frame.length();
        waitingForCredit = true;
        try {
            gate.await(taken);
        } finally {
            waitingForCredit = false;
        }
        long held = System.nanoTime() - found;
        return othersWaitForCredit
                ? new Taken(frame, held + locked - start, found - locked)
                : new Taken(frame, held, found - start);
    }

    private synchronized boolean hasEnded() {
        return ended;
    }

    private synchronized void end() {
        ended = true;
    }

    /** Direct lanes begin to take; false if there is nothing left for them. */
    synchronized boolean directLanesBegin(int lanes) {
        if (ended) {
            return false;
        }
        directLanes += lanes;
        return true;
    }

    /** A direct lane ends, and gives back the frames that it took and may not have delivered. */
    synchronized void directLaneEnds(Collection<EncodedFrame> undelivered) {
        directLanes--;
        givenBack.addAll(undelivered);
        notifyAll();
    }

    /** The lanes in reserve end for this reason. */
    synchronized void fail(IOException reason) {
        failure = failure == null ? reason : failure;
        notifyAll();
    }
}
