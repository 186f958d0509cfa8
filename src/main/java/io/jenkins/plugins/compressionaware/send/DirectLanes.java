package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.transfer.DirectOffer;
import io.jenkins.plugins.compressionaware.transfer.DirectReport;
import io.jenkins.plugins.compressionaware.transfer.EndpointConnection;
import io.jenkins.plugins.compressionaware.transfer.TransferThreads;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * The direct lanes of one transfer. They are opened by threads of their own, so that the transfer never waits for them: a probe finds the
 * first address that answers, then each lane sends until there is no more or a request fails. Whatever goes wrong here, even an error of
 * the JVM, ends lanes and not the transfer, unless direct lanes are required.
 */
final class DirectLanes implements Closeable {
    /** Milliseconds. */
    private static final long WATCH_PERIOD = 100;

    private final DirectOffer offer;
    private final FrameSource source;
    private final SendListener listener;
    private final IntConsumer change;
    private final TransferThreads maker;
    private final AtomicInteger bodyLimit;
    private final Queue<EndpointConnection> connections = new ConcurrentLinkedQueue<>();
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
    private final ScheduledThreadPoolExecutor watch;

    // guarded by this, as all that follows
    private State state = State.PROBING;
    private List<HttpLane> lanes = List.of();
    private int working;
    private String url;
    private String trouble;

    private enum State {
        PROBING,
        /** Others use all connections; nothing is wrong. */
        REFUSED,
        OPEN,
        LOST,
        CLOSED
    }

    /**
     * @param change hears how many lanes work whenever that changes
     */
    DirectLanes(
            DirectOffer offer, FrameSource source, SendListener listener, IntConsumer change, TransferThreads maker) {
        this.offer = offer;
        this.source = source;
        this.listener = listener;
        this.change = change;
        this.maker = maker;
        bodyLimit = new AtomicInteger(offer.bodyLimit());
        watch = new ScheduledThreadPoolExecutor(1, task -> thread("watch", task));
        if (offer.required()) {
            // holds the streams back until it is known how many there are
            source.directLanesBegin(1);
        }
    }

    /** Returns at once. */
    void open() {
        try {
            long limit = probeLimit() * offer.urls().size();
            watch.scheduleWithFixedDelay(this::breakOffWhatStalls, WATCH_PERIOD, WATCH_PERIOD, TimeUnit.MILLISECONDS);
            // where the probe can be broken off, it is by then
            watch.schedule(() -> nothingAnswers("no answer within " + limit + " ms"), 2 * limit, TimeUnit.MILLISECONDS);
            thread("probe", this::probe).start();
        } catch (Throwable e) { // above all an OutOfMemoryError, if there can be no more threads
            nothingAnswers(reason(e));
        }
    }

    private Thread thread(String role, Runnable task) {
        Thread thread = maker.create("direct " + role, task);
        threads.add(thread);
        return thread;
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
            } catch (Throwable e) { // a class may be missing, an address may be none
                problem = (problem == null ? "" : problem + "; ") + candidate + ": " + reason(e);
            }
        }
        nothingAnswers(problem);
    }

    private synchronized void nothingAnswers(String problem) {
        if (state == State.PROBING) {
            state = State.LOST;
            trouble = problem;
            failIfRequired(trouble);
        }
    }

    private EndpointConnection connection(String address, long limit) throws IOException {
        EndpointConnection connection =
                new EndpointConnection(URI.create(address).toURL(), offer.token(), limit);
        synchronized (this) {
            if (state == State.CLOSED) {
                throw new IOException("the transfer is over");
            }
            connections.add(connection);
        }
        return connection;
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
        List<HttpLane> made = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            made.add(new HttpLane(connection(answered, offer.limits().requestMillis()), bodyLimit, listener));
        }
        if (!source.directLanesBegin(made.size())) {
            return;
        }
        if (offer.required()) {
            source.directLaneEnds(List.of());
        }
        state = State.OPEN;
        url = answered;
        lanes = made;
        working = made.size();
        for (HttpLane lane : lanes) {
            try {
                thread("send", () -> run(lane)).start();
            } catch (Throwable e) {
                broken(lane.end(), e);
            }
        }
        change.accept(working);
    }

    private void run(HttpLane lane) {
        try {
            lane.sendAll(source);
            source.directLaneEnds(lane.end());
        } catch (Throwable e) {
            broken(lane.end(), e);
        }
    }

    /**
     * @param undelivered what the lane had in its hands; null if it had ended before
     */
    private synchronized void broken(List<EncodedFrame> undelivered, Throwable e) {
        if (undelivered == null) {
            return;
        }
        trouble = trouble == null ? url + ": " + reason(e) : trouble;
        failIfRequired(trouble);
        working--;
        if (working == 0) {
            state = State.LOST;
        }
        try {
            change.accept(working);
        } finally {
            // last, since the transfer may end with these frames
            source.directLaneEnds(undelivered);
        }
    }

    private void failIfRequired(String reason) {
        if (offer.required()) {
            source.fail(new IOException("The direct lane is required, but does not work: " + reason));
        }
    }

    private void breakOffWhatStalls() {
        for (HttpLane lane : openLanes()) {
            List<EncodedFrame> undelivered = lane.endIfStalled();
            if (undelivered != null) {
                broken(
                        undelivered,
                        new IOException("no answer within " + offer.limits().requestMillis() + " ms"));
            }
        }
        connections.forEach(EndpointConnection::abortIfStalled);
    }

    private synchronized List<HttpLane> openLanes() {
        return lanes;
    }

    private static String reason(Throwable e) {
        String reason = e.getMessage() == null ? e.toString() : e.getMessage();
        return e instanceof UnknownHostException ? "unknown host " + reason : reason;
    }

    /** What came of them so far; null if the transfer ended before anything was known, or others use all connections. */
    synchronized DirectReport report() {
        if (url == null && state != State.LOST) {
            return null;
        }
        long delivered = 0;
        for (HttpLane lane : lanes) {
            delivered += lane.delivered();
        }
        // the transfer may end before each of its lanes has tried
        boolean useless = state == State.LOST || trouble != null && delivered == 0;
        return new DirectReport(url, lanes.size(), delivered, trouble, useless, bodyLimit.get());
    }

    /** Breaks off what still runs. */
    @Override
    public void close() {
        synchronized (this) {
            state = State.CLOSED;
        }
        watch.shutdownNow();
        connections.forEach(EndpointConnection::abort);
        threads.forEach(Thread::interrupt);
    }
}
