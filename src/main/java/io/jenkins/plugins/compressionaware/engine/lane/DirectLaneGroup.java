package io.jenkins.plugins.compressionaware.engine.lane;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.flow.TransferThreads;
import java.io.Closeable;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The direct lanes of one transfer. They are opened by threads of their own, so that the transfer never waits for them: a probe finds the
 * first address that answers, then each lane works until nothing is left or a request fails. Any failure here, even an error of the JVM,
 * ends lanes and not the transfer, unless direct lanes are required.
 */
@Restricted(NoExternalUse.class)
public final class DirectLaneGroup implements Closeable {
    /** From this many bytes on, a direct lane is worth its probe: it saves tens of milliseconds of CPU time. */
    private static final int MIN_BYTES = 4 << 20;

    /** Milliseconds. */
    private static final long WATCH_PERIOD = 100;

    private final DirectLaneOffer offer;
    private final DirectLaneClient work;
    private final TransferThreads maker;
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
    private final List<DirectLane<?>> lanes = new CopyOnWriteArrayList<>();
    private final ScheduledThreadPoolExecutor watch;

    // guarded by this, like all that follows
    private State state = State.PROBING;
    private LaneKeys keys;
    private int opened;
    private int working;
    private String url;
    private String firstFailure;
    private final EnumSet<LaneFailure> kinds = EnumSet.noneOf(LaneFailure.class);

    /** Created in advance, because the heap may be full. */
    private final DirectLaneException noMemory = new DirectLaneException("Out of memory when a direct lane ended");

    private enum State {
        PROBING,
        /** Other transfers use all connections, or nothing is left to transfer; nothing is wrong. */
        REFUSED,
        OPEN,
        LOST,
        CLOSED
    }

    public DirectLaneGroup(DirectLaneOffer offer, DirectLaneClient work, TransferThreads maker) {
        this.offer = offer;
        this.work = work;
        this.maker = maker;
        watch = new ScheduledThreadPoolExecutor(1, task -> thread("watch", task));
        if (offer.required()) {
            // holds the streams back until the number of direct lanes is known
            work.addLanes(1);
        }
    }

    /** Bytes from which on a transfer is worth opening the offered lanes. */
    public static int minBytes(DirectLaneOffer offer) {
        return offer.required() ? 0 : MIN_BYTES;
    }

    /** Begins to open the lanes; returns at once. */
    public void open() {
        try {
            long limit = probeLimit() * offer.urls().size();
            watch.scheduleWithFixedDelay(this::endWhatStalls, WATCH_PERIOD, WATCH_PERIOD, TimeUnit.MILLISECONDS);
            // twice the limit, so that the probe has failed before, if it can
            watch.schedule(() -> probesFailed(silence(limit)), 2 * limit, TimeUnit.MILLISECONDS);
            thread("probe", this::probe).start();
        } catch (Throwable e) { // above all an OutOfMemoryError if no thread can be started
            probesFailed(e);
        }
    }

    private Thread thread(String role, Runnable task) {
        Thread thread = maker.create("direct " + role, task);
        threads.add(thread);
        return thread;
    }

    static IOException silence(long millis) {
        return new SocketTimeoutException("no answer within " + millis + " ms");
    }

    /** Milliseconds for one address. */
    private long probeLimit() {
        return offer.required()
                ? offer.limits().requestMillis()
                : offer.limits().probeMillis() / offer.urls().size();
    }

    private void probe() {
        String problem = null;
        for (String candidate : offer.urls()) {
            try {
                int allowed = connection(candidate, probeLimit()).probe();
                begin(candidate, Math.min(offer.connections(), allowed));
                return;
            } catch (Throwable e) { // a class may be missing, an address may be invalid
                problem = (problem == null ? "" : problem + "; ") + candidate + ": " + reason(e);
                recordFailure(e);
            }
        }
        probesFailed(problem);
    }

    private synchronized void recordFailure(Throwable e) {
        kinds.add(LaneFailure.of(e));
    }

    private synchronized void probesFailed(Throwable e) {
        if (state == State.PROBING) {
            recordFailure(e);
            probesFailed(reason(e));
        }
    }

    private synchronized void probesFailed(String problem) {
        if (state == State.PROBING) {
            state = State.LOST;
            firstFailure = problem;
            failIfRequired(firstFailure);
        }
    }

    private synchronized HttpLaneConnection connection(String address, long limit) throws IOException {
        // created late, because it loads classes; created once, because no number may be used twice
        keys = keys == null ? new LaneKeys(offer.secret()) : keys;
        return new HttpLaneConnection(URI.create(address).toURL(), keys, offer.plain(), limit);
    }

    private synchronized void begin(String answered, int connections) throws IOException {
        if (state != State.PROBING) {
            return;
        }
        if (connections < 1) {
            state = State.REFUSED;
            failIfRequired("all connections for it are in use");
            return;
        }
        lanes.clear();
        for (int i = 0; i < connections; i++) {
            lanes.add(work.lane(connection(answered, offer.limits().requestMillis())));
        }
        if (!work.addLanes(connections)) {
            state = State.REFUSED;
            return;
        }
        if (offer.required()) {
            work.removeLane();
        }
        state = State.OPEN;
        url = answered;
        opened = connections;
        working = connections;
        for (DirectLane<?> lane : lanes) {
            start(lane, true);
        }
        work.onActiveLanesChanged(working);
    }

    /** @param mayBreak whether a new connection replaces one that breaks */
    private void start(DirectLane<?> lane, boolean mayBreak) {
        try {
            thread("lane", () -> run(lane, mayBreak)).start();
        } catch (Throwable e) {
            ended(lane.end(), e);
        }
    }

    private void run(DirectLane<?> lane, boolean mayBreak) {
        try {
            lane.run();
            giveBack(lane.end());
        } catch (Throwable e) {
            if (!mayBreak || !replace(lane, e)) {
                ended(lane.end(), e);
            }
        }
    }

    /** Replaces a lane whose connection broke, for instance by a reset; returns false if no new lane is possible or needed. */
    private synchronized boolean replace(DirectLane<?> lane, Throwable reason) {
        if (state != State.OPEN || !isBreak(reason) || !work.addLanes(1)) {
            return false;
        }
        DirectLane<?> next = null;
        Runnable giveBack = null;
        try {
            next = work.lane(connection(url, offer.limits().requestMillis()));
            lanes.add(next);
            giveBack = lane.end();
        } catch (Throwable e) { // above all an OutOfMemoryError
            // ends the lane below
        }
        if (giveBack == null) {
            work.removeLane();
            return false;
        }
        start(next, false);
        giveBack(giveBack);
        return true;
    }

    private static boolean isBreak(Throwable reason) {
        try {
            return LaneFailure.of(reason) == LaneFailure.OTHER;
        } catch (Throwable full) {
            return false;
        }
    }

    /** Ends a lane and counts it down even if other code fails, because streams wait while lanes have work. */
    private synchronized void ended(@CheckForNull Runnable giveBack, Throwable e) {
        if (giveBack == null) {
            return;
        }
        working--;
        state = working == 0 ? State.LOST : state;
        try {
            recordFailure(e);
            firstFailure = firstFailure == null ? url + ": " + reason(e) : firstFailure;
            failIfRequired(firstFailure);
            work.onActiveLanesChanged(working);
        } catch (Throwable full) {
            if (offer.required()) {
                work.fail(noMemory);
            }
        }
        // last, because the returned work may end the transfer
        giveBack(giveBack);
    }

    private void giveBack(@CheckForNull Runnable giveBack) {
        if (giveBack == null) {
            return;
        }
        try {
            giveBack.run();
        } catch (Throwable e) { // above all an OutOfMemoryError: some of the work is lost
            work.fail(noMemory);
        }
    }

    private void failIfRequired(String reason) {
        if (offer.required()) {
            work.fail(new DirectLaneException("Direct HTTP transfer is required, but failed: " + reason, said()));
        }
    }

    private LaneFailure[] said() {
        return kinds.toArray(new LaneFailure[0]);
    }

    private void endWhatStalls() {
        try {
            for (DirectLane<?> lane : lanes) {
                if (lane.isStalled()) {
                    // first, because the heap may be full
                    IOException silence = silence(offer.limits().requestMillis());
                    ended(lane.endIfStalled(), silence);
                }
            }
        } catch (Throwable e) { // with a full heap: thrown, it would be the last look
            return;
        }
    }

    private static String reason(Throwable e) {
        String reason = e.getMessage() == null ? e.toString() : e.getMessage();
        return e instanceof UnknownHostException ? "unknown host " + reason : reason;
    }

    /**
     * The lanes' results so far; null if the transfer ended before anything was known, or other transfers use all connections.
     *
     * @param bodyLimit see {@link DirectLaneReport}
     */
    @CheckForNull
    public synchronized DirectLaneReport report(int bodyLimit) {
        if (url == null && state != State.LOST) {
            return null;
        }
        long delivered = 0;
        for (DirectLane lane : lanes) {
            delivered += lane.deliveredBytes();
        }
        // the transfer may end before all of its lanes have tried
        DirectLaneReport.Outcome outcome = state == State.LOST || firstFailure != null && delivered == 0
                ? DirectLaneReport.Outcome.LOST
                : firstFailure == null ? DirectLaneReport.Outcome.WORKED : DirectLaneReport.Outcome.LOST_A_CONNECTION;
        return new DirectLaneReport(url, opened, delivered, firstFailure, said(), outcome, bodyLimit);
    }

    /** Ends all waiting; a request that still runs ends by itself, see {@link HttpLaneConnection}. */
    @Override
    public void close() {
        synchronized (this) {
            state = State.CLOSED;
        }
        watch.shutdownNow();
        for (Thread thread : threads) {
            thread.interrupt();
        }
    }
}
