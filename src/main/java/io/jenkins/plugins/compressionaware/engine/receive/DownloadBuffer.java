package io.jenkins.plugins.compressionaware.engine.receive;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneBalance;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneRequests;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.flow.RangeRequest;
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
import java.util.function.LongSupplier;

/**
 * Reorders the ranges of a frame file that several lanes download, for one thread that reads them in order. A lane gets the next ranges once heap is granted
 * for them and {@link LaneBalance} allows it. Thread-safe; the lock is never held during I/O.
 */
final class DownloadBuffer implements DirectLaneClient {
    /** Minimum number of ranges per request, so that each consumed range does not cause a request. Less than the smallest grant. */
    private static final int MIN_RANGES = 4;

    private final FileRanges file;
    private final long ranges;
    private final HeapBudget.Reservation reservation;

    /** Arrays of consumed ranges, for reuse. */
    @GuardedBy("this")
    private final Queue<byte[]> spare = new ArrayDeque<>();

    @GuardedBy("this")
    private final Map<Long, byte[]> arrived = new HashMap<>();

    @GuardedBy("this")
    private LaneRequests<RangeSpan> requests;

    /** Nanoseconds for which streams have waited for heap since the latest range that one of them has read. */
    @GuardedBy("this")
    private long waitedNanos;

    /** Ranges that direct lanes have returned, and those of overdue requests. Only a stream may request them. */
    @GuardedBy("this")
    private final Queue<RangeSpan> returned = new ArrayDeque<>();

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

    DownloadBuffer(FileRanges file, HeapBudget.Reservation reservation) {
        this.file = file;
        this.reservation = reservation;
        requests = new LaneRequests<>(System::nanoTime, null, file::length);
        ranges = file.count();
        missing = ranges;
        limit = reservation.grant(0);
    }

    /** Lets a balance choose the lanes. Otherwise, streams get only what direct lanes return. Must be called before lanes start; the clock is in nanoseconds. */
    synchronized void share(LaneBalance balance, LongSupplier clock) {
        requests = new LaneRequests<>(clock, balance, file::length);
    }

    /** @param entries returns the number of complete entries for further requests; thread-safe */
    void report(IntSupplier entries) {
        complete = entries;
    }

    /** Returns the request of a span for a lane. */
    RangeRequest request(int lane, RangeSpan span) {
        return new RangeRequest(lane, FileRanges.position(span.first()), file.length(span), complete.getAsInt());
    }

    /** Returns the next ranges for a stream; null if there are none now. */
    @CheckForNull
    synchronized RangeSpan pollForStream(int max) throws IOException {
        check();
        RangeSpan span = pollReturned();
        if (span == null && (waiting || next == ranges || requests.isScarce(limit - FileRanges.position(next)))) {
            addReturned(requests.takeOverdue());
            span = pollReturned();
        }
        if (span == null && !requests.streamsRest(next == ranges)) {
            span = next(max);
        }
        return span;
    }

    /** Returns the bytes that a stream should request ahead, at most {@code most}. */
    synchronized int readAhead(int most) {
        return requests.readAhead(most);
    }

    /** Waits for the next ranges for a stream; returns null after all ranges have arrived. */
    @CheckForNull
    synchronized RangeSpan takeForStream(int max) throws IOException, InterruptedException {
        long start = System.nanoTime();
        while (true) {
            boolean timed = requests.changesByTime(); // first, because a rest may end meanwhile
            RangeSpan span = pollForStream(max);
            if (span != null || missing == 0) {
                waitedNanos += System.nanoTime() - start;
                return span;
            }
            boolean rests = requests.streamsRest(next == ranges);
            wait(timed ? LaneRequests.POLL_MILLIS : 0);
            start = rests ? System.nanoTime() : start;
        }
    }

    /** Waits for the next ranges for a direct lane, up to {@code most} bytes; returns null after all ranges have been assigned. */
    @CheckForNull
    synchronized RangeSpan takeForDirect(int most) throws IOException, InterruptedException {
        while (true) {
            check();
            boolean timed = requests.changesByTime();
            RangeSpan span = requests.lanesRest() ? null : next(requests.body(most) / FileRanges.RANGE_BYTES);
            if (span != null) {
                start(span);
            }
            if (span != null || next == ranges) {
                return span;
            }
            wait(timed ? LaneRequests.POLL_MILLIS : 0);
        }
    }

    @GuardedBy("this")
    @CheckForNull
    private RangeSpan next(int max) {
        int count = nextCount(max);
        RangeSpan span = count == 0 ? null : new RangeSpan(next, count);
        next += count;
        return span;
    }

    @GuardedBy("this")
    private void start(RangeSpan span) {
        try {
            requests.start(span);
        } catch (Throwable e) { // the heap is full, and no lane holds the ranges
            next = span.first();
            throw e;
        }
        notifyAll(); // a stream that rests must wait with a limit from now on: the request may be late
    }

    /** Returns for how long the oldest request has had no answer, nanoseconds; 0 if all have ended. */
    synchronized long unansweredNanos() {
        return requests.unansweredNanos();
    }

    /** Returns the number of the next ranges for which heap is granted, or 0 if it is too small. */
    @GuardedBy("this")
    private int nextCount(int max) {
        long granted = (limit - FileRanges.position(next)) / FileRanges.RANGE_BYTES;
        int count = (int) Math.min(Math.min(max, granted), ranges - next);
        return count < Math.min(Math.min(MIN_RANGES, max), ranges - next) ? 0 : Math.max(0, count);
    }

    /** Returns the next returned range that has not arrived meanwhile; null if there is none. */
    @GuardedBy("this")
    @CheckForNull
    private RangeSpan pollReturned() {
        RangeSpan span;
        do {
            span = returned.poll();
        } while (span != null && hasArrived(span.first()));
        return span;
    }

    @GuardedBy("this")
    private boolean hasArrived(long number) {
        return number < consumed || arrived.containsKey(number);
    }

    @GuardedBy("this")
    private void addReturned(@CheckForNull RangeSpan span) {
        for (long number = span == null ? 0 : span.first(); span != null && number < span.end(); number++) {
            if (!hasArrived(number)) {
                returned.add(new RangeSpan(number, 1));
            }
        }
    }

    /** Records that a direct lane has read ranges. */
    synchronized void delivered(RangeSpan span, long nanos) {
        requests.delivered(span, true, file.length(span), nanos);
        notifyAll();
    }

    /** Reads the ranges of a span from a lane. */
    void read(RangeSpan span, DataInputStream in) throws IOException {
        for (long number = span.first(); number < span.end(); number++) {
            read(number, in);
        }
    }

    /** Reads the ranges of a span from a stream, and returns their length, bytes. */
    int readStream(RangeSpan span, DataInputStream in) throws IOException {
        long start = System.nanoTime();
        read(span, in);
        int bytes = file.length(span);
        synchronized (this) {
            requests.streamWrote(bytes, System.nanoTime() - start, waitedNanos);
            waitedNanos = 0;
            notifyAll(); // direct lanes may be needed, or no longer be
        }
        return bytes;
    }

    /** Reads a range. Returns its length, bytes, or 0 if it had arrived before. */
    int read(long number, DataInputStream in) throws IOException {
        byte[] range = array();
        in.readFully(range, 0, file.length(number));
        return put(number, range) ? file.length(number) : 0;
    }

    private synchronized byte[] array() {
        return spare.isEmpty() ? new byte[FileRanges.RANGE_BYTES] : spare.remove();
    }

    private synchronized boolean put(long number, byte[] bytes) throws IOException {
        check();
        if (hasArrived(number)) {
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
        while (!spare.isEmpty() && FileRanges.position(heldRanges()) > limit - FileRanges.position(consumed)) {
            spare.remove();
        }
    }

    @Override
    public DirectDownloadLane lane(HttpLaneConnection connection) {
        return new DirectDownloadLane(this, connection);
    }

    @Override
    public synchronized boolean addLanes(int lanes) {
        requests.addLanes(lanes);
        notifyAll();
        return failed.get() == null;
    }

    @Override
    public void removeLane() {
        removeLane(null);
    }

    /** Removes a direct lane. Streams download those ranges of {@code span} that have not arrived; {@code span} may be null. */
    synchronized void removeLane(@CheckForNull RangeSpan span) {
        try {
            if (requests.end(span)) {
                addReturned(span);
            }
        } catch (Throwable e) { // a full heap, for example: ranges would be missing
            fail(e);
        }
        notifyAll();
    }

    /** Waits for the next range in order, if {@code mayWait}; null if there is none. Called by one thread, as is {@link #release}. */
    @CheckForNull
    synchronized byte[] take(boolean mayWait) throws IOException, InterruptedException {
        check();
        while (mayWait && consumed < ranges && !arrived.containsKey(consumed)) {
            waiting = true;
            wait();
            check();
        }
        waiting = false;
        byte[] range = arrived.remove(consumed);
        consumed += range == null ? 0 : 1;
        return range;
    }

    /** Releases the heap of a range that was taken and read. */
    synchronized void release(byte[] range) {
        limit = reservation.grant(FileRanges.position(consumed));
        requests.granted(FileRanges.position(consumed));
        recycle(range);
        notifyAll();
    }

    /** Returns the state, see {@link AgentEnd.Part#state}. */
    synchronized long[] state() {
        return new long[] {
            waiting ? AgentEnd.WAITS : AgentEnd.BUSY,
            FileRanges.position(ranges - missing),
            Math.min(file.length(), FileRanges.position(next))
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
