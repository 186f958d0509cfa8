package io.jenkins.plugins.compressionaware.engine.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Opens and runs the direct lanes of one transfer on separate threads, so that the transfer never waits for them. A probe finds the first address that
 * responds; each lane then works until no work is left or a request fails. Failures, even errors of the JVM, end only lanes, but the failure of the last lane
 * fails a transfer that requires direct lanes.
 */
@Restricted(NoExternalUse.class)
public final class DirectLaneGroup implements Closeable {
    private static final long WATCH_PERIOD_MILLIS = 100;

    private final DirectLaneOffer offer;
    private final DirectLaneClient client;
    private final LaneThreads threads;
    private final List<DirectLane<?>> lanes = new CopyOnWriteArrayList<>();
    private final ScheduledThreadPoolExecutor watch;
    private final LaneClock clock = new LaneClock(System::nanoTime);
    private final ReplacementRule replacement;
    private final AtomicInteger longestBody = new AtomicInteger();

    @GuardedBy("this")
    private State state = State.PROBING;

    @GuardedBy("this")
    private LaneKeys keys;

    @GuardedBy("this")
    private long probeNanos;

    @GuardedBy("this")
    private int activeLanes;

    @GuardedBy("this")
    private long bytesOfReplacedLanes;

    @GuardedBy("this")
    private String url;

    @GuardedBy("this")
    private final LaneFailures failures = new LaneFailures();

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
        replacement = new ReplacementRule(offer, clock);
        this.client = client;
        threads = new LaneThreads(transferThreads);
        watch = new ScheduledThreadPoolExecutor(1, task -> transferThreads.create("direct watch", task));
        if (offer.required()) {
            // holds the streams back until the number of direct lanes is known
            client.addLanes(1);
        }
    }

    /** Starts to open the lanes, without waiting for them. */
    public void open() {
        try {
            watch.scheduleWithFixedDelay(
                    this::checkLimits, WATCH_PERIOD_MILLIS, WATCH_PERIOD_MILLIS, TimeUnit.MILLISECONDS);
            threads.start("direct probe", this::probe);
        } catch (Throwable e) { // usually an OutOfMemoryError because no thread can be started
            recordFailure(e);
            probesFailed(LaneFailure.reason(e));
        }
    }

    private void probe() {
        try {
            String problem = probeAll(offer.limits().probeMillis());
            while (problem != null && probesAgain()) {
                problem = probeAll(offer.limits().requestMillis());
            }
            if (problem != null) {
                probesFailed(problem);
            }
        } catch (Throwable full) {
            failWithoutMemory();
        }
    }

    /** Opens the lanes to the first address that answers. Returns the problem if none does. */
    @CheckForNull
    private String probeAll(long limitMillis) {
        String problem = null;
        for (String candidate : offer.urls()) {
            try {
                long start = System.nanoTime();
                int allowed =
                        connection(candidate, limitMillis / offer.urls().size()).probe();
                openLanes(candidate, Math.min(offer.connections(), allowed), System.nanoTime() - start);
                return null;
            } catch (Throwable e) { // a class may be missing, an address may be invalid
                problem = (problem == null ? "" : problem + "; ") + candidate + ": " + LaneFailure.reason(e);
                recordFailure(e);
            }
        }
        return problem;
    }

    private synchronized boolean probesAgain() {
        return state == State.PROBING && replacement.isPatient(0) && failures.forgetSilence();
    }

    private void failWithoutMemory() {
        if (offer.required()) {
            client.fail(noMemory);
        }
    }

    private synchronized void recordFailure(Throwable e) {
        failures.add(e, deliveredBytes());
    }

    private synchronized void probesFailed(String problem) {
        if (state == State.PROBING) {
            state = State.FAILED;
            failures.explain(problem);
            failIfRequired(problem);
        }
    }

    private synchronized HttpLaneConnection connection(String address, long limit) throws IOException {
        // created lazily, because it loads classes; created only once, because no message number may be used twice
        keys = keys == null ? new LaneKeys(offer.secret()) : keys;
        return new HttpLaneConnection(URI.create(address).toURL(), keys, limit, clock, longestBody);
    }

    private synchronized void openLanes(String answered, int connections, long nanos) throws IOException {
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
        probeNanos = nanos;
        activeLanes = connections;
        for (int i = 0; i < connections; i++) { // an iterator needs memory, and streams wait for all lanes
            start(lanes.get(i), true, 0);
        }
    }

    /**
     * Runs a lane on a new thread.
     *
     * @param first       whether the lane is not a replacement
     * @param delayMillis before its first request
     */
    private void start(DirectLane<?> lane, boolean first, long delayMillis) {
        try {
            threads.start("direct lane", () -> run(lane, first, delayMillis));
        } catch (Throwable e) {
            if (lane.end()) {
                laneFailed(lane, e);
            }
        }
    }

    private void run(DirectLane<?> lane, boolean first, long delayMillis) {
        try {
            TimeUnit.MILLISECONDS.sleep(delayMillis);
            lane.run();
            if (lane.end()) {
                returnWork(lane);
            }
        } catch (Throwable e) {
            if (!replace(lane, e, first, false) && lane.end()) {
                laneFailed(lane, e);
            }
        }
    }

    /** Replaces a failed or stalled lane by a new connection. Returns false if a new lane is impossible or not needed. */
    private synchronized boolean replace(DirectLane<?> lane, Throwable reason, boolean first, boolean stalled) {
        if (state != State.OPEN || !replacement.allows(lane, reason, first, deliveredBytes()) || !client.addLanes(1)) {
            return false;
        }
        DirectLane<?> next = null;
        boolean ended = false;
        try {
            next = client.lane(connection(url, offer.limits().requestMillis()));
            // not added: a proxy that breaks each connection would fill the heap with ended lanes
            int index = lanes.indexOf(lane);
            lanes.set(index, next);
            ended = stalled ? lane.endIfStalled() : lane.end();
            if (!ended) { // its request has just been answered, and its thread may be taking more work
                lanes.set(index, lane);
            }
            bytesOfReplacedLanes += ended ? lane.deliveredBytes() : 0;
        } catch (Throwable e) { // usually an OutOfMemoryError
            // the caller ends the lane
        }
        if (!ended) {
            client.removeLane();
            return false;
        }
        // the controller may not have noticed yet that the connection broke, and a replacement that has delivered
        // nothing is not replaced in a tight loop
        boolean soon = first || lane.deliveredBytes() > 0;
        start(next, false, offer.limits().requestMillis() / (soon ? 100 : 10));
        returnWork(lane);
        if (LaneFailure.of(reason) == LaneFailure.CONTENT) { // other requests pass, but the cause has a remedy
            failures.add(reason, deliveredBytes(), url);
        }
        return true;
    }

    /** Records the failure of a lane that has just ended. Counts the lane down even if other code fails, because streams wait while direct lanes work. */
    private synchronized void laneFailed(DirectLane<?> lane, Throwable e) {
        activeLanes--;
        state = activeLanes == 0 ? State.FAILED : state;
        try {
            failures.add(e, deliveredBytes(), url);
            if (activeLanes == 0) {
                failIfRequired(failures.reason());
            }
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
            client.fail(new DirectLaneException(
                    "Direct HTTP transfer is required, but failed: " + reason, failures.kinds()));
        }
    }

    private void checkLimits() {
        try {
            clock.tick(deliveredBytes());
            checkProbes();
            for (DirectLane<?> lane : lanes) {
                if (lane.isStalled()) {
                    // created before the lane ends, because the heap may be full
                    IOException timeout =
                            HttpLaneConnection.timeout(offer.limits().requestMillis());
                    if (!replace(lane, timeout, false, true) && lane.endIfStalled()) {
                        laneFailed(lane, timeout);
                    }
                }
            }
        } catch (Throwable e) { // the heap may be full; an exception would cancel this periodic task
            return;
        }
    }

    private synchronized void checkProbes() {
        // three requests later, so that a probe that can report its own failure does so first
        if (state == State.PROBING && !replacement.isPatient(3)) {
            IOException timeout = HttpLaneConnection.timeout(offer.limits().requestMillis());
            recordFailure(timeout);
            probesFailed(LaneFailure.reason(timeout));
        }
    }

    private synchronized long deliveredBytes() {
        long delivered = bytesOfReplacedLanes;
        for (int i = 0; i < lanes.size(); i++) { // an iterator needs memory
            delivered += lanes.get(i).deliveredBytes();
        }
        return delivered;
    }

    /**
     * Records that all work is done, by streams if lanes have delivered nothing. A request has failed if it had no answer for as long as a probe may take.
     *
     * @param unansweredMillis for which the oldest request has had no answer
     */
    public synchronized void end(long unansweredMillis) {
        boolean silent = unansweredMillis >= offer.limits().probeMillis();
        // an answer delivers no bytes that streams have delivered before
        if (silent && deliveredBytes() == 0 && lanes.stream().noneMatch(DirectLane::isAnswered)) {
            failures.add(HttpLaneConnection.unanswered(unansweredMillis), 0, url);
        }
    }

    /** Returns the lanes' results so far, with a {@link DirectLaneReport#bodyLimit}; null if no lane was opened and no failure is known. */
    @CheckForNull
    public synchronized DirectLaneReport report(int bodyLimit) {
        if (url == null && state != State.FAILED) {
            return null;
        }
        long quickest = probeNanos;
        for (DirectLane<?> lane : lanes) {
            quickest = Math.min(quickest, lane.quickestNanos());
        }
        return failures.report(url, lanes.size(), deliveredBytes(), state == State.FAILED, bodyLimit, quickest);
    }

    /** Interrupts all waiting threads. A running request ends by its own time limit, see {@link HttpLaneConnection}. */
    @Override
    public void close() {
        synchronized (this) {
            state = State.CLOSED;
        }
        watch.shutdownNow();
        threads.interrupt();
    }
}
