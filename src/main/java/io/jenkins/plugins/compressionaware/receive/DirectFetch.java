package io.jenkins.plugins.compressionaware.receive;

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

/**
 * The direct lanes that fetch a stored file. They are opened by a thread of their own, so that the streams go on meanwhile: a probe finds the first
 * address that answers, then each lane fetches until there is no more or a request fails. Whatever goes wrong here ends lanes and not the
 * transfer, unless direct lanes are required.
 */
final class DirectFetch implements Closeable {
    /** Pieces of one request: what is lost with it is fetched again. */
    private static final int RUN = 4;

    /** Milliseconds. */
    private static final long WATCH_PERIOD = 100;

    private final DirectOffer offer;
    private final Pieces pieces;
    private final TransferThreads maker;
    private final Queue<EndpointConnection> connections = new ConcurrentLinkedQueue<>();
    private final ScheduledThreadPoolExecutor watch;

    // guarded by this, as all that follows
    private final List<Lane> lanes = new ArrayList<>();
    private int working;
    private long delivered;
    private String url;
    private String trouble;
    private boolean probing = true;
    private boolean lost;
    private boolean over;

    DirectFetch(DirectOffer offer, Pieces pieces, TransferThreads maker) {
        this.offer = offer;
        this.pieces = pieces;
        this.maker = maker;
        watch = new ScheduledThreadPoolExecutor(1, task -> maker.create("direct watch", task));
        if (offer.required()) {
            // holds the streams back until it is known how many there are
            pieces.directLanesBegin(1);
        }
    }

    /** Returns at once. */
    void open() {
        try {
            long limit = probeLimit() * offer.urls().size();
            watch.scheduleWithFixedDelay(this::breakOffWhatStalls, WATCH_PERIOD, WATCH_PERIOD, TimeUnit.MILLISECONDS);
            // where the probe can be broken off, it is by then
            watch.schedule(() -> nothingAnswers("no answer within " + limit + " ms"), 2 * limit, TimeUnit.MILLISECONDS);
            maker.create("direct probe", this::probe).start();
        } catch (Throwable e) { // above all an OutOfMemoryError, if there can be no more threads
            nothingAnswers(reason(e));
        }
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
                begin(
                        candidate,
                        Math.min(
                                offer.connections(),
                                connection(candidate, probeLimit()).probeGet()));
                return;
            } catch (Throwable e) { // a class may be missing, an address may be none
                problem = (problem == null ? "" : problem + "; ") + candidate + ": " + reason(e);
            }
        }
        nothingAnswers(problem);
    }

    private EndpointConnection connection(String address, long limit) throws IOException {
        EndpointConnection connection =
                new EndpointConnection(URI.create(address).toURL(), offer.token(), limit);
        connections.add(connection);
        return connection;
    }

    private synchronized void nothingAnswers(String problem) {
        if (probing) {
            probing = false;
            lost = true;
            trouble = problem;
            failIfRequired();
        }
    }

    private synchronized void begin(String answered, int allowed) throws IOException {
        if (over || !probing) {
            return;
        }
        probing = false;
        if (allowed < 1) {
            trouble = offer.required() ? "all connections for it are in use" : null;
            failIfRequired();
            return;
        }
        url = answered;
        for (int i = 0; i < allowed; i++) {
            lanes.add(new Lane(connection(answered, offer.limits().requestMillis())));
        }
        working = allowed;
        pieces.directLanesBegin(allowed);
        if (offer.required()) {
            pieces.directLaneEnds(null);
        }
        for (Lane lane : lanes) {
            try {
                maker.create("direct fetch", lane::run).start();
            } catch (Throwable e) {
                lane.end(e);
            }
        }
    }

    private void failIfRequired() {
        if (offer.required()) {
            pieces.fail(new IOException("The direct lane is required, but does not work: " + trouble));
        }
    }

    private void breakOffWhatStalls() {
        List<Lane> now;
        synchronized (this) {
            now = List.copyOf(lanes);
        }
        for (Lane lane : now) {
            if (lane.connection.isStalled()) {
                lane.end(new IOException("no answer within " + offer.limits().requestMillis() + " ms"));
            }
        }
        connections.forEach(EndpointConnection::abortIfStalled);
    }

    private static String reason(Throwable e) {
        String reason = e.getMessage() == null ? e.toString() : e.getMessage();
        return e instanceof UnknownHostException ? "unknown host " + reason : reason;
    }

    /** What came of them so far; null if nothing is known, or others use all connections. */
    synchronized DirectReport report() {
        if (url == null && !lost) {
            return null;
        }
        boolean useless = lost || trouble != null && delivered == 0;
        return new DirectReport(url, lanes.size(), delivered, trouble, useless, offer.bodyLimit());
    }

    /** Breaks off what still runs. */
    @Override
    public void close() {
        synchronized (this) {
            over = true;
        }
        watch.shutdownNow();
        connections.forEach(EndpointConnection::abort);
    }

    /** One connection. Its thread may be where nothing can reach it, so another may end it in its stead. */
    private final class Lane {
        private final EndpointConnection connection;

        // guarded by DirectFetch.this, as the next
        private Pieces.Run inHand;
        private boolean ended;

        Lane(EndpointConnection connection) {
            this.connection = connection;
        }

        void run() {
            try {
                for (Pieces.Run run = pieces.takeForDirect(RUN); hold(run); run = pieces.takeForDirect(RUN)) {
                    fetch(run);
                }
                end(null);
            } catch (Throwable e) {
                end(e);
            }
        }

        /** False if there is nothing to fetch, or the lane has ended. */
        private boolean hold(Pieces.Run run) {
            synchronized (DirectFetch.this) {
                if (ended && run != null) {
                    pieces.giveBack(run);
                    return false;
                }
                inHand = run;
                return run != null;
            }
        }

        private void fetch(Pieces.Run run) throws IOException {
            connection.get(pieces.position(run.first()), pieces.length(run), in -> {
                for (long number = run.first(); number < run.first() + run.pieces(); number++) {
                    byte[] piece = pieces.array();
                    in.readFully(piece, 0, pieces.length(number));
                    pieces.put(number, piece);
                }
            });
            synchronized (DirectFetch.this) {
                inHand = null;
                delivered += pieces.length(run);
            }
        }

        /**
         * @param reason null if there is no more to fetch
         */
        void end(Throwable reason) {
            synchronized (DirectFetch.this) {
                if (ended) {
                    return;
                }
                ended = true;
                working--;
                if (reason != null && !over) {
                    trouble = trouble == null ? url + ": " + reason(reason) : trouble;
                    lost |= working == 0;
                    failIfRequired();
                }
                pieces.directLaneEnds(inHand);
            }
        }
    }
}
