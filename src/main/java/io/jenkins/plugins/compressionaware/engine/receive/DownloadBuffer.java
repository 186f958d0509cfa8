package io.jenkins.plugins.compressionaware.engine.receive;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.flow.RangeRequest;
import io.jenkins.plugins.compressionaware.engine.http.DirectLane;
import io.jenkins.plugins.compressionaware.engine.http.DirectLaneClient;
import io.jenkins.plugins.compressionaware.engine.http.HttpLaneConnection;
import io.jenkins.plugins.compressionaware.engine.run.AgentEnd;
import io.jenkins.plugins.compressionaware.engine.run.FirstFailure;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.function.IntSupplier;

/**
 * Reorders the ranges of a frame file that several lanes download, for one thread that reads them in order. A lane gets the next ranges once heap is granted
 * for them; while direct lanes work, a stream gets only ranges that a direct lane returned. Thread-safe; the lock is never held during I/O.
 */
final class DownloadBuffer implements DirectLaneClient {
    /** Length of every range but the last, bytes. A range is decoded after all of it has arrived, which takes 50 ms at 10 Mbit/s. */
    static final int RANGE_BYTES = 64 << 10;

    /** Minimum number of ranges per request, so that each consumed range does not cause a request. Less than the smallest grant. */
    private static final int MIN_RANGES = 4;

    /** Ranges per request of a direct lane, 2 MiB, which is the most that the controller delivers. After a failed request, streams request its ranges again. */
    private static final int RANGES_PER_REQUEST = 32;

    private final long length;
    private final long ranges;
    private final HeapBudget.Reservation reservation;
    /** Arrays of consumed ranges, for reuse. */
    @GuardedBy("this")
    private final Queue<byte[]> spare = new ArrayDeque<>();

    @GuardedBy("this")
    private final Map<Long, byte[]> arrived = new HashMap<>();

    @GuardedBy("this")
    private int directLanes;

    /** Ranges that direct lanes have returned, so that only a stream may request them. */
    @GuardedBy("this")
    private final Queue<RangeSpan> returned = new ArrayDeque<>();

    /** The range that is being read, and how much of it has been read; used by the reading thread alone. */
    private byte[] current;

    private int currentLength;
    private int currentRead;

    @GuardedBy("this")
    private long next;

    @GuardedBy("this")
    private long missing;

    @GuardedBy("this")
    private long consumed;

    @GuardedBy("this")
    private long limit;

    /** Whether the reading thread waits for the next range. */
    @GuardedBy("this")
    private boolean waiting;

    @GuardedBy("this")
    private final FirstFailure failed = new FirstFailure("", "receiving");

    private volatile IntSupplier complete = () -> 0;

    /** Consecutive ranges; {@code first} is the number of the first range, from 0. */
    record RangeSpan(long first, int count) {}

    /** @param length of the file's frames, bytes, at least 1 */
    DownloadBuffer(long length, HeapBudget.Reservation reservation) {
        this.length = length;
        this.reservation = reservation;
        ranges = (length + RANGE_BYTES - 1) / RANGE_BYTES;
        missing = ranges;
        limit = reservation.grant(0);
    }

    /** Returns the position of a range in the file, bytes. */
    long position(long number) {
        return number * RANGE_BYTES;
    }

    /** Returns the length of a range, bytes. */
    int length(long number) {
        return (int) Math.min(RANGE_BYTES, length - position(number));
    }

    /** Returns the length of a span, bytes. */
    int length(RangeSpan span) {
        return (int) (Math.min(length, position(span.first + span.count)) - position(span.first));
    }

    /** @param entries returns the number of complete entries for further requests; thread-safe */
    void report(IntSupplier entries) {
        complete = entries;
    }

    /** Returns the request of a span for a lane. */
    RangeRequest request(int lane, RangeSpan span) {
        return new RangeRequest(lane, position(span.first), length(span), complete.getAsInt());
    }

    /** Returns the next ranges for a stream; null if there are none now. */
    synchronized RangeSpan pollForStream(int max) throws IOException {
        check();
        RangeSpan span = returned.poll();
        return span != null || directLanes > 0 ? span : next(max);
    }

    /** Waits for the next ranges for a stream; returns null after all ranges have arrived. */
    synchronized RangeSpan takeForStream(int max) throws IOException, InterruptedException {
        while (true) {
            RangeSpan span = pollForStream(max);
            if (span != null || missing == 0) {
                return span;
            }
            wait();
        }
    }

    /** Waits for the next ranges for a direct lane; returns null after all ranges have been assigned. */
    synchronized RangeSpan takeForDirect(int max) throws IOException, InterruptedException {
        while (true) {
            check();
            RangeSpan span = next(max);
            if (span != null || next == ranges) {
                return span;
            }
            wait();
        }
    }

    @GuardedBy("this")
    private RangeSpan next(int max) {
        long granted = (limit - position(next)) / RANGE_BYTES;
        int count = (int) Math.min(Math.min(max, granted), ranges - next);
        if (count <= 0 || count < Math.min(Math.min(MIN_RANGES, max), ranges - next)) {
            return null;
        }
        RangeSpan span = new RangeSpan(next, count);
        next += count;
        return span;
    }

    /** Reads the ranges of a span from a lane. */
    void read(RangeSpan span, DataInputStream in) throws IOException {
        for (long number = span.first; number < span.first + span.count; number++) {
            read(number, in);
        }
    }

    /** Reads a range. Returns whether it had not arrived before. */
    private boolean read(long number, DataInputStream in) throws IOException {
        byte[] recycled = recycled();
        byte[] range = recycled != null ? recycled : new byte[RANGE_BYTES];
        in.readFully(range, 0, length(number));
        return put(number, range);
    }

    private synchronized byte[] recycled() {
        return spare.poll();
    }

    private synchronized boolean put(long number, byte[] bytes) throws IOException {
        check();
        if (number < consumed || arrived.containsKey(number)) {
            recycle(bytes);
            return false;
        }
        arrived.put(number, bytes);
        missing--;
        notifyAll();
        return true;
    }

    /** Returns the number of ranges in memory, without those that are being read or written. */
    synchronized int heldRanges() {
        return arrived.size() + spare.size();
    }

    /** Keeps an array for reuse, within the granted heap: the grant shrinks when other transfers start. */
    @GuardedBy("this")
    private void recycle(byte[] bytes) {
        spare.add(bytes);
        while (!spare.isEmpty() && position(heldRanges()) > limit - position(consumed)) {
            spare.remove();
        }
    }

    @Override
    public DirectLane<RangeSpan> lane(HttpLaneConnection connection) {
        return new DirectLane<>(connection) {
            @Override
            @CheckForNull
            protected RangeSpan take() throws IOException, InterruptedException {
                return takeForDirect(RANGES_PER_REQUEST);
            }

            @Override
            protected void deliver(RangeSpan span, HttpLaneConnection direct) throws IOException {
                direct.fetch(request(0, span), in -> {
                    for (long number = span.first; number < span.first + span.count; number++) {
                        // each range counts, because a slow link may not deliver all of them in time
                        confirm(read(number, in) ? length(number) : 0);
                    }
                });
            }

            @Override
            protected void giveBack(@CheckForNull RangeSpan undelivered) {
                removeLane(undelivered);
            }
        };
    }

    /** Adds direct lanes. From now on, streams get only ranges that direct lanes return. */
    @Override
    public synchronized boolean addLanes(int lanes) {
        directLanes += lanes;
        return failed.get() == null;
    }

    @Override
    public void removeLane() {
        removeLane(null);
    }

    /** Removes a direct lane. Streams download those ranges of {@code span} that have not arrived; {@code span} may be null. */
    synchronized void removeLane(@CheckForNull RangeSpan span) {
        directLanes--;
        try {
            RangeSpan undelivered = span == null ? new RangeSpan(0, 0) : span;
            for (long number = undelivered.first; number < undelivered.first + undelivered.count; number++) {
                if (number >= consumed && !arrived.containsKey(number)) {
                    returned.add(new RangeSpan(number, 1));
                }
            }
        } catch (Throwable e) { // a full heap, for example: ranges would be missing
            fail(e);
        }
        notifyAll();
    }

    /** Reads bytes of the next range in order, and releases its heap after the last; see {@link FrameParser.Source}. Called by one thread. */
    int read(byte[] target, int offset, int length, boolean mayWait) throws IOException, InterruptedException {
        current = current == null ? takeNext(mayWait) : current;
        if (current == null) {
            return 0;
        }
        int n = Math.min(length, currentLength - currentRead);
        System.arraycopy(current, currentRead, target, offset, n);
        currentRead += n;
        if (currentRead == currentLength) {
            synchronized (this) {
                limit = reservation.grant(position(consumed));
                recycle(current);
                notifyAll();
            }
            current = null;
        }
        return n;
    }

    @CheckForNull
    private synchronized byte[] takeNext(boolean mayWait) throws IOException, InterruptedException {
        check();
        while (mayWait && consumed < ranges && !arrived.containsKey(consumed)) {
            waiting = true;
            wait();
            check();
        }
        waiting = false;
        byte[] range = arrived.remove(consumed);
        if (range != null) {
            currentRead = 0;
            currentLength = length(consumed++);
        }
        return range;
    }

    /** Returns the state, see {@link AgentEnd.Part#state}. */
    synchronized long[] state() {
        return new long[] {
            waiting ? AgentEnd.WAITS : AgentEnd.BUSY, position(ranges - missing), Math.min(length, position(next))
        };
    }

    /** Fails the transfer for all threads; only the first reason is kept. Never throws. */
    @Override
    public synchronized void fail(Throwable reason) {
        if (failed.set(reason)) {
            arrived.clear();
            notifyAll();
        }
    }

    @GuardedBy("this")
    private void check() throws IOException {
        IOException failure = failed.get();
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
    }
}
