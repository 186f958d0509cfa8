package io.jenkins.plugins.compressionaware.engine.lane;

import com.google.errorprone.annotations.concurrent.GuardedBy;
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
 * Opens and runs the direct lanes of one transfer on separate threads, so that the transfer never waits for them. A probe finds the first address
 * that responds; each lane then works until no work is left or a request fails. Failures, even errors of the JVM, end only
 * lanes, but fail the transfer if direct lanes are required.
 */
@Restricted(NoExternalUse.class)
public final class DirectLaneGroup implements Closeable {
    /** Bytes from which direct lanes save more CPU time than their probe costs. */
    private static final int MIN_BYTES = 4 << 20;

    private static final long WATCH_PERIOD_MILLIS = 100;

    private final DirectLaneOffer offer;
    private final DirectLaneClient client;
    private final TransferThreads transferThreads;
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
    private final List<DirectLane<?>> lanes = new CopyOnWriteArrayList<>();
    private final ScheduledThreadPoolExecutor watch;

    @GuardedBy("this")
    private State state = State.PROBING;

    @GuardedBy("this")
    private LaneKeys keys;

    @GuardedBy("this")
    private int opened;

    @GuardedBy("this")
    private int activeLanes;

    @GuardedBy("this")
    private String url;

    @GuardedBy("this")
    private String firstFailure;

    @GuardedBy("this")
    private final EnumSet<LaneFailure> failures = EnumSet.noneOf(LaneFailure.class);

    /** Created in advance, because the heap may be full. */
    private final DirectLaneException noMemory = new DirectLaneException("The direct HTTP transfer is out of memory");

    private enum State {
        PROBING,
        /** Other transfers use all connections, or no work is left. Not a failure. */
        REFUSED,
        OPEN,
        FAILED,
        CLOSED
    }

    public DirectLaneGroup(DirectLaneOffer offer, DirectLaneClient client, TransferThreads transferThreads) {
        this.offer = offer;
        this.client = client;
        this.transferThreads = transferThreads;
        watch = new ScheduledThreadPoolExecutor(1, task -> thread("watch", task));
        if (offer.required()) {
            // holds the streams back until the number of direct lanes is known
            client.addLanes(1);
        }
    }

    /** Returns the number of bytes from which a transfer should open the offered lanes. */
    public static int minBytes(DirectLaneOffer offer) {
        return offer.required() ? 0 : MIN_BYTES;
    }

    /** Starts to open the lanes, without waiting for them. */
    public void open() {
        try {
            long limit = probeLimit() * offer.urls().size();
            watch.scheduleWithFixedDelay(
                    this::abortStalledLanes, WATCH_PERIOD_MILLIS, WATCH_PERIOD_MILLIS, TimeUnit.MILLISECONDS);
            // twice the limit, so that a probe that can report its own failure does so first
            watch.schedule(() -> probesFailed(timeout(limit)), 2 * limit, TimeUnit.MILLISECONDS);
            thread("probe", () -> {
                        try {
                            probe();
                        } catch (Throwable full) {
                            failWithoutMemory();
                        }
                    })
                    .start();
        } catch (Throwable e) { // usually an OutOfMemoryError because no thread can be started
            probesFailed(e);
        }
    }

    private Thread thread(String role, Runnable task) {
        Thread thread = transferThreads.create("direct " + role, task);
        threads.add(thread);
        return thread;
    }

    static IOException timeout(long millis) {
        return new SocketTimeoutException("no answer within " + millis + " ms");
    }

    /** Returns the time limit for one address, milliseconds. */
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
                openLanes(candidate, Math.min(offer.connections(), allowed));
                return;
            } catch (Throwable e) { // a class may be missing, an address may be invalid
                problem = (problem == null ? "" : problem + "; ") + candidate + ": " + reason(e);
                recordFailure(e);
            }
        }
        probesFailed(problem);
    }

    private void failWithoutMemory() {
        if (offer.required()) {
            client.fail(noMemory);
        }
    }

    private synchronized void recordFailure(Throwable e) {
        failures.add(LaneFailure.of(e));
    }

    private synchronized void probesFailed(Throwable e) {
        if (state == State.PROBING) {
            recordFailure(e);
            probesFailed(reason(e));
        }
    }

    private synchronized void probesFailed(String problem) {
        if (state == State.PROBING) {
            state = State.FAILED;
            firstFailure = problem;
            failIfRequired(firstFailure);
        }
    }

    private synchronized HttpLaneConnection connection(String address, long limit) throws IOException {
        // created lazily, because it loads classes; created only once, because no message number may be used twice
        keys = keys == null ? new LaneKeys(offer.secret()) : keys;
        return new HttpLaneConnection(URI.create(address).toURL(), keys, offer.plain(), limit);
    }

    private synchronized void openLanes(String answered, int connections) throws IOException {
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
            lanes.add(client.lane(connection(answered, offer.limits().requestMillis())));
        }
        if (!client.addLanes(connections)) {
            state = State.REFUSED;
            return;
        }
        if (offer.required()) {
            client.removeLane();
        }
        state = State.OPEN;
        url = answered;
        opened = connections;
        activeLanes = connections;
        for (int i = 0; i < connections; i++) { // an iterator needs memory, and streams wait for all lanes
            start(lanes.get(i), true);
        }
        client.onActiveLanesChanged(activeLanes);
    }

    /**
     * Runs a lane on a new thread.
     *
     * @param replaceable whether a new connection replaces a broken one
     */
    private void start(DirectLane<?> lane, boolean replaceable) {
        try {
            thread("lane", () -> run(lane, replaceable)).start();
        } catch (Throwable e) {
            if (lane.end()) {
                laneFailed(lane, e);
            }
        }
    }

    private void run(DirectLane<?> lane, boolean replaceable) {
        try {
            lane.run();
            if (lane.end()) {
                returnWork(lane);
            }
        } catch (Throwable e) {
            if ((!replaceable || !replace(lane, e)) && lane.end()) {
                laneFailed(lane, e);
            }
        }
    }

    /** Replaces a lane whose connection broke, for example by a reset. Returns false if a new lane is impossible or not needed. */
    private synchronized boolean replace(DirectLane<?> lane, Throwable reason) {
        if (state != State.OPEN || !isBrokenConnection(reason) || !client.addLanes(1)) {
            return false;
        }
        DirectLane<?> next = null;
        boolean ended = false;
        try {
            next = client.lane(connection(url, offer.limits().requestMillis()));
            lanes.add(next);
            ended = lane.end();
        } catch (Throwable e) { // usually an OutOfMemoryError
            // the caller ends the lane
        }
        if (!ended) {
            client.removeLane();
            return false;
        }
        start(next, false);
        returnWork(lane);
        return true;
    }

    private static boolean isBrokenConnection(Throwable reason) {
        try {
            return LaneFailure.of(reason) == LaneFailure.OTHER;
        } catch (Throwable full) {
            return false;
        }
    }

    /** Records the failure of a lane that has just ended. Counts the lane down even if other code fails, because streams wait while direct lanes work. */
    private synchronized void laneFailed(DirectLane<?> lane, Throwable e) {
        activeLanes--;
        state = activeLanes == 0 ? State.FAILED : state;
        try {
            recordFailure(e);
            firstFailure = firstFailure == null ? url + ": " + reason(e) : firstFailure;
            failIfRequired(firstFailure);
            client.onActiveLanesChanged(activeLanes);
        } catch (Throwable full) {
            failWithoutMemory();
        }
        // last, because the returned work may complete the transfer
        returnWork(lane);
    }

    private void returnWork(DirectLane<?> lane) {
        try {
            lane.returnWork();
        } catch (Throwable e) { // usually an OutOfMemoryError: some work is lost
            client.fail(noMemory);
        }
    }

    @GuardedBy("this")
    private void failIfRequired(String reason) {
        if (offer.required()) {
            client.fail(new DirectLaneException("Direct HTTP transfer is required, but failed: " + reason, failures()));
        }
    }

    @GuardedBy("this")
    private LaneFailure[] failures() {
        return failures.toArray(new LaneFailure[0]);
    }

    private void abortStalledLanes() {
        try {
            for (DirectLane<?> lane : lanes) {
                if (lane.isStalled()) {
                    // created before the lane ends, because the heap may be full
                    IOException timeout = timeout(offer.limits().requestMillis());
                    if (lane.endIfStalled()) {
                        laneFailed(lane, timeout);
                    }
                }
            }
        } catch (Throwable e) { // the heap may be full; an exception would cancel this periodic task
            return;
        }
    }

    private static String reason(Throwable e) {
        String reason = e.getMessage() == null ? e.toString() : e.getMessage();
        if (e instanceof OutOfMemoryError) {
            return "out of memory: " + reason;
        }
        return e instanceof UnknownHostException ? "unknown host " + reason : reason;
    }

    /**
     * Returns the lanes' results so far; null if no lane was opened and no failure is known.
     *
     * @param bodyLimit see {@link DirectLaneReport}
     */
    @CheckForNull
    public synchronized DirectLaneReport report(int bodyLimit) {
        if (url == null && state != State.FAILED) {
            return null;
        }
        long delivered = 0;
        for (DirectLane lane : lanes) {
            delivered += lane.deliveredBytes();
        }
        // the transfer may end before all of its lanes have sent a request
        DirectLaneReport.Outcome outcome = state == State.FAILED || firstFailure != null && delivered == 0
                ? DirectLaneReport.Outcome.LOST
                : firstFailure == null ? DirectLaneReport.Outcome.WORKED : DirectLaneReport.Outcome.LOST_A_CONNECTION;
        return new DirectLaneReport(url, opened, delivered, firstFailure, failures(), outcome, bodyLimit);
    }

    /** Interrupts all waiting threads. A running request ends by its own time limit, see {@link HttpLaneConnection}. */
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
