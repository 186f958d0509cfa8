package io.jenkins.plugins.compressionaware.send;

import io.jenkins.plugins.compressionaware.transfer.DirectOffer;
import io.jenkins.plugins.compressionaware.transfer.ThreadTimes;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;

/**
 * The direct lanes of one transfer. They are opened by threads of their own, so that the transfer never waits for them: a probe finds the
 * first address that answers, then each lane sends until there is no more or a request fails.
 */
final class DirectLanes implements Closeable {
    /** For all probes of an optional lane together, milliseconds. A transfer of that length would hardly gain from it. */
    static final long PROBE_LIMIT = 900;

    /** For one request: long enough for a full collection of the heap at the other end, milliseconds. */
    static final long REQUEST_LIMIT = 10_000;

    /** Milliseconds. */
    private static final long WATCH_PERIOD = 100;

    private final DirectOffer offer;
    private final FrameSource source;
    private final Lane.Listener listener;
    private final IntConsumer change;
    private final ThreadTimes times;
    private final Queue<EndpointConnection> requests = new ConcurrentLinkedQueue<>();
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
    private final ScheduledThreadPoolExecutor watch;
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicLong delivered = new AtomicLong();
    private volatile boolean closed;
    private volatile boolean lost;
    private volatile String url;
    private volatile int connections;
    private volatile String trouble;

    /**
     * @param change hears how many lanes there are when they begin to work, and 0 when the last has failed
     */
    DirectLanes(DirectOffer offer, FrameSource source, Lane.Listener listener, IntConsumer change, ThreadTimes times) {
        this.offer = offer;
        this.source = source;
        this.listener = listener;
        this.change = change;
        this.times = times;
        watch = new ScheduledThreadPoolExecutor(1, task -> thread(task, "watch"));
        if (offer.required()) {
            source.directLanesBegin(offer.connections());
        }
    }

    /** Returns at once. */
    void open() {
        watch.scheduleWithFixedDelay(
                () -> requests.forEach(EndpointConnection::abortIfStalled), WATCH_PERIOD, WATCH_PERIOD, TimeUnit.MILLISECONDS);
        thread(this::findAndUse, "probe").start();
    }

    private Thread thread(Runnable task, String role) {
        Thread thread = new Thread(task, "artifact transfer: direct " + role);
        thread.setDaemon(true);
        times.add(thread);
        threads.add(thread);
        return thread;
    }

    private void findAndUse() {
        String found = find();
        if (found == null) {
            lost = true;
        } else {
            trouble = null;
        }
        if (found == null || connections == 0 || !offer.required() && !source.directLanesBegin(connections)) {
            return;
        }
        url = found;
        change.accept(connections);
        for (int i = 0; i < connections; i++) {
            thread(this::sendAll, "send").start();
        }
        for (int i = connections; offer.required() && i < offer.connections(); i++) {
            source.directLaneEnds(List.of());
        }
    }

    /** The first address that answers; null if there is none. */
    private String find() {
        long limit =
                offer.required() ? REQUEST_LIMIT : PROBE_LIMIT / offer.urls().size();
        for (String candidate : offer.urls()) {
            try {
                connections = Math.min(offer.connections(), request(candidate, limit).probe());
                if (connections == 0 && offer.required()) {
                    source.fail(new IOException("The direct lane is required, but all connections for it are in use"));
                }
                return candidate;
            } catch (IOException e) {
                troubleWith(candidate, e);
            }
        }
        if (offer.required()) {
            source.fail(required());
        }
        return null;
    }

    private EndpointConnection request(String address, long limit) throws IOException {
        EndpointConnection request = new EndpointConnection(URI.create(address).toURL(), offer.token(), limit);
        requests.add(request);
        if (closed) {
            request.abort();
        }
        return request;
    }

    private synchronized void troubleWith(String address, IOException e) {
        if (trouble == null) {
            String reason = e.getMessage() == null ? e.toString() : e.getMessage();
            trouble = address + ": " + (e instanceof UnknownHostException ? "unknown host " + reason : reason);
        }
    }

    private IOException required() {
        return new IOException("The direct lane is required, but does not work: " + trouble);
    }

    private void sendAll() {
        HttpLane lane = null;
        try {
            lane = new HttpLane(request(url, REQUEST_LIMIT), listener, delivered);
            lane.sendAll(source);
        } catch (HttpLane.BrokenLaneException e) {
            broken((IOException) e.getCause());
        } catch (ExecutionException e) {
            source.fail(new IOException(e.getCause().getMessage(), e.getCause()));
        } catch (IOException e) {
            source.fail(e);
        } catch (InterruptedException e) {
            source.fail(new IOException("The transfer is over", e));
        } finally {
            source.directLaneEnds(lane == null ? List.of() : lane.undelivered());
        }
    }

    private void broken(IOException e) {
        troubleWith(url, e);
        if (failed.incrementAndGet() == connections) {
            lost = true;
            change.accept(0);
        }
        if (offer.required()) {
            source.fail(required());
        }
    }

    /** Null if the transfer ended before anything was known, or all connections were in use by others. */
    DirectReport report() {
        if (url == null && !lost) {
            return null;
        }
        // the transfer may end before each of its lanes has tried
        boolean useless = lost || trouble != null && delivered.get() == 0;
        return new DirectReport(url, connections, delivered.get(), trouble, useless);
    }

    /** Breaks off what still runs. */
    @Override
    public void close() {
        closed = true;
        watch.shutdownNow();
        requests.forEach(EndpointConnection::abort);
        threads.forEach(Thread::interrupt);
    }
}
