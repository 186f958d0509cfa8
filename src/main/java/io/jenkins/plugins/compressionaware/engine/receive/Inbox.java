package io.jenkins.plugins.compressionaware.engine.receive;

import io.jenkins.plugins.compressionaware.engine.codec.CorruptFrameException;
import io.jenkins.plugins.compressionaware.engine.flow.Credit;
import io.jenkins.plugins.compressionaware.engine.flow.CreditScheduler;
import io.jenkins.plugins.compressionaware.engine.flow.CreditWriter;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Accepts the frames of one transfer, whichever way they arrive, within the heap that is granted to it, and supplies them in order. Bootstrap calls and the
 * engine number their frames consecutively. One thread reads frames; any thread may do all else.
 */
@Restricted(NoExternalUse.class)
public final class Inbox implements OrderedFrames, Closeable {
    private final HeapBudget.Reservation reservation;
    private volatile FrameReorderBuffer queue;
    private final Queue<LaneReceiver> lanes = new ConcurrentLinkedQueue<>();
    private final int maxBlock;
    private final ReceiveProgress progress;
    private final LongSupplier clock;
    private final IOException closed = new IOException("the receiver is closed");
    private volatile CreditScheduler grants;
    private volatile Runnable onRelease = () -> {};
    private volatile long consumed;
    private long wireBytes;
    private boolean started;
    private long waitingNanos;

    /**
     * @param reservation heap of the transfer; closed by this inbox
     * @param maxBlock    length of the largest block to accept, bytes
     * @param clock       returns the current time, nanoseconds
     */
    Inbox(HeapBudget.Reservation reservation, int maxBlock, ReceiveProgress progress, LongSupplier clock) {
        this(reservation, new FrameReorderBuffer(reservation.grant(0)), maxBlock, progress, clock);
    }

    Inbox(
            HeapBudget.Reservation reservation,
            FrameReorderBuffer queue,
            int maxBlock,
            ReceiveProgress progress,
            LongSupplier clock) {
        this.reservation = reservation;
        this.queue = queue;
        this.maxBlock = maxBlock;
        this.progress = progress;
        this.clock = clock;
    }

    /** Makes the heap part of the share of the agent that sends. Must be called before {@link #credit}. */
    public void chargeTo(String agent) {
        queue.setLimit(reservation.of(agent).grant(consumed));
    }

    /** Creates a stream for bytes of frames. Writes never block, and fail once the transfer has failed or ended. */
    public OutputStream newLane() {
        LaneReceiver lane = new LaneReceiver(queue, maxBlock);
        lanes.add(lane);
        return lane;
    }

    /** Creates a stream like {@link #newLane} for all of the next frames, without a gap. */
    public OutputStream newSequentialLane() {
        LaneReceiver lane = LaneReceiver.sequential(queue, maxBlock);
        lanes.add(lane);
        return lane;
    }

    /** Creates the receiver of direct lanes. From now on, frames may arrive twice and in any order. */
    public DirectReceiver newDirectReceiver() {
        queue.allowDuplicates();
        return new DirectReceiver(queue, maxBlock);
    }

    /** Returns the number of frames so far, which is the number of the next frame once all senders have ended. */
    public long frames() {
        return queue.count();
    }

    /** Returns the heap of all frames so far, consumed or not, by {@link Credit#heapCost}, bytes. */
    public long heap() {
        return queue.heap();
    }

    /** Returns the heap that frames since the start may fill, bytes: the latest credit. */
    public long credit() {
        return queue.limit();
    }

    /** Returns whether every frame that has arrived was consumed. */
    boolean isEmpty() {
        return consumed == queue.heap();
    }

    /** Throws an exception if a frame is incomplete, although nothing sends. */
    void checkWhole() throws CorruptFrameException {
        if (queue.isInFrame()) {
            throw new CorruptFrameException("Damaged transfer: a frame that is longer than its call");
        }
    }

    /**
     * Sends credit from now on.
     *
     * @param known {@link #credit} that the sender knows already
     */
    void sendCredit(CreditWriter writer, long known) {
        grants = new CreditScheduler(writer, reservation.minWindow(), known);
    }

    /** @param action called after each consumed frame while no credit is sent */
    void onRelease(Runnable action) {
        onRelease = action;
    }

    @Override
    public ReceivedFrame next(boolean mayWait) throws IOException, InterruptedException {
        if (!mayWait) {
            return queue.poll();
        }
        long start = clock.getAsLong();
        progress.setWaiting(true);
        ReceivedFrame frame = queue.take(() -> repeatCredit(clock.getAsLong() - start));
        // not in a finally block, because a transfer that fails in the wait must be reported as waiting
        progress.setWaiting(false);
        if (started) {
            waitingNanos += clock.getAsLong() - start;
        }
        started = true;
        return frame;
    }

    private void repeatCredit(long silentNanos) {
        long limit = reservation.grant(consumed);
        queue.setLimit(limit);
        CreditScheduler scheduler = grants;
        if (scheduler != null) {
            scheduler.onSilence(consumed, limit, silentNanos);
        }
    }

    @Override
    public void release(ReceivedFrame frame) {
        consumed += Credit.heapCost(frame.length());
        wireBytes += frame.length();
        long limit = reservation.grant(consumed);
        queue.setLimit(limit);
        CreditScheduler scheduler = grants;
        if (scheduler != null) {
            scheduler.onConsumed(consumed, wireBytes, limit);
        } else {
            onRelease.run();
        }
    }

    /** Returns the time spent waiting for frames, except for the first frame, nanoseconds. */
    long waitingNanos() {
        return waitingNanos;
    }

    /** Reports that all senders have ended. Reading goes on to the last frame that has arrived, and then fails with this reason. */
    void endOfSender(IOException reason) {
        queue.endOfSender(reason);
    }

    /** Fails the transfer for the reader and all lanes; only the first reason is kept. Never throws. */
    void fail(Throwable reason) {
        queue.fail(reason);
    }

    /** Rejects all frames of a lost sender, and accepts those of another one, which begins with number 0. Called while no thread reads frames. */
    void restart() {
        queue.fail(closed);
        lanes.forEach(LaneReceiver::close);
        lanes.clear();
        grants = null;
        queue = new FrameReorderBuffer(queue.limit()).after(consumed);
    }

    /** Rejects all further frames, and releases the heap. */
    @Override
    public void close() {
        reservation.close();
        queue.fail(closed);
        lanes.forEach(LaneReceiver::close);
    }
}
