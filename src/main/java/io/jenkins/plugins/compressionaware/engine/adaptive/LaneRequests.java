package io.jenkins.plugins.compressionaware.engine.adaptive;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.ToIntFunction;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Tracks the unanswered requests of direct lanes, and applies {@link LaneBalance}. Not thread-safe: guarded by the lock of its owner.
 *
 * @param <W> work of one request; compared by identity
 */
@Restricted(NoExternalUse.class)
public class LaneRequests<W> {
    /** Milliseconds after which a waiting lane checks again, if {@link #changesByTime}. */
    public static final long POLL_MILLIS = 5;

    private final LongSupplier clock;
    private final LaneBalance balance;
    private final ToIntFunction<? super W> bytes;

    /** Requests without an answer, oldest first. */
    private final List<Request<W>> open = new ArrayList<>();

    private int lanes;

    private static final class Request<W> {
        private final W work;
        private final long start;

        /** Whether a stream does this work, too. */
        private boolean repeated;

        Request(W work, long start) {
            this.work = work;
            this.start = start;
        }
    }

    /**
     * @param clock   nanoseconds
     * @param balance null if streams get no work while direct lanes exist
     * @param bytes   returns the bytes of a request's work
     */
    public LaneRequests(LongSupplier clock, @CheckForNull LaneBalance balance, ToIntFunction<? super W> bytes) {
        this.clock = clock;
        this.balance = balance;
        this.bytes = bytes;
    }

    /** Adds direct lanes, or removes them if the number is negative. */
    public final void addLanes(int number) {
        lanes += number;
        if (balance != null) {
            balance.setConnections(lanes);
        }
    }

    /** Returns whether the passage of time may change an answer of this object: a request may become late, or a rest may end. */
    public final boolean changesByTime() {
        return balance != null && lanes > 0 && (!open.isEmpty() || balance.directLanesRest(clock.getAsLong()));
    }

    /**
     * Returns whether a stream must wait.
     *
     * @param allTaken whether all work is assigned
     */
    public final boolean streamsRest(boolean allTaken) {
        if (lanes == 0 || balance == null) {
            return lanes > 0;
        }
        if (allTaken) {
            return mayReturn();
        }
        long now = clock.getAsLong();
        Request<W> oldest = open.isEmpty() ? null : open.get(0);
        return oldest == null
                ? !balance.allowsStreams(now, now, 0)
                : !balance.allowsStreams(now, oldest.start, bytes.applyAsInt(oldest.work));
    }

    /** Returns whether direct lanes would get work. */
    public final boolean areNeeded() {
        return balance == null || balance.needsDirect();
    }

    /** Returns the number of direct lanes that get work now. */
    public final int working() {
        return balance == null ? lanes : balance.requests(clock.getAsLong());
    }

    /** Returns whether a direct lane must wait. */
    public final boolean lanesRest() {
        return balance != null && !balance.allowsDirect(open.size(), clock.getAsLong());
    }

    /** Returns the bytes that a stream should request ahead, at most {@code most}; see {@link LaneBalance#readAhead}. */
    public final int readAhead(int most) {
        return balance == null ? most : Math.min(most, balance.readAhead());
    }

    /** Returns the maximum bytes of the next request, at most {@code most}. */
    public final int body(int most) {
        return balance == null ? most : Math.min(most, balance.body());
    }

    /** Records what a stream has transferred; see {@link LaneBalance#streamWrote}. */
    public final void streamWrote(int length, double nanos, double waitNanos) {
        if (balance != null) {
            balance.streamWrote(length, nanos, waitNanos);
        }
    }

    /** Records the receiver's latest grant, or in a download what it has consumed; see {@link LaneBalance#granted}. */
    public final void granted(long limit) {
        if (balance != null) {
            balance.granted(limit, clock.getAsLong());
        }
    }

    /** Records the start of a request. */
    public final void start(W work) {
        open.add(new Request<>(work, clock.getAsLong()));
    }

    /** Returns whether a stream does the work of a request, too. */
    public final boolean isRepeated(W work) {
        Request<W> request = find(work);
        return request != null && request.repeated;
    }

    /**
     * Records that a request has delivered bytes; see {@link LaneBalance#delivered}.
     *
     * @param all whether these are the last bytes of its work
     */
    public final void delivered(W work, boolean all, int length, long nanos) {
        Request<W> request = find(work);
        if (all) {
            open.remove(request);
        }
        if (balance != null) {
            balance.delivered(length, nanos, request != null && request.repeated, clock.getAsLong());
        }
    }

    /** Returns whether streams should repeat an overdue request before they do other work; see {@link LaneBalance#isScarce}. */
    public final boolean isScarce(long credit) {
        return balance != null && balance.isScarce(credit);
    }

    /** Removes a direct lane. If it has a request, that has failed. Returns whether streams must do its work: false if one repeats it already. */
    public final boolean end(@CheckForNull W work) {
        Request<W> request = find(work);
        open.remove(request);
        if (request != null && balance != null) {
            long now = clock.getAsLong();
            balance.failed((double) now - request.start, now);
        }
        addLanes(-1);
        return request == null || !request.repeated;
    }

    @CheckForNull
    private Request<W> find(@CheckForNull W work) {
        for (int i = 0; i < open.size(); i++) { // an iterator needs memory, and the heap may be full
            if (open.get(i).work == work) {
                return open.get(i);
            }
        }
        return null;
    }

    /** Returns for how long the oldest request has had no answer, nanoseconds; 0 if all have ended. */
    public final long unansweredNanos() {
        return open.isEmpty() ? 0 : clock.getAsLong() - open.get(0).start;
    }

    /** Returns whether a request may still return work to a stream. */
    public final boolean mayReturn() {
        return balance != null && lanes > 0 && open.stream().anyMatch(request -> !request.repeated);
    }

    /** Returns the work of one overdue request, which a stream repeats because later work may need its heap, or a reader its bytes; null if there is none. */
    @CheckForNull
    public final W takeOverdue() {
        long now = clock.getAsLong();
        for (int i = 0; i < open.size() && balance != null; i++) {
            Request<W> request = open.get(i);
            if (!request.repeated && balance.isOverdue(bytes.applyAsInt(request.work), (double) now - request.start)) {
                request.repeated = true;
                return request.work;
            }
        }
        return null;
    }
}
