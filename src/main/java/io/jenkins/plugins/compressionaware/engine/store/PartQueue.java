package io.jenkins.plugins.compressionaware.engine.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import io.jenkins.plugins.compressionaware.engine.run.FirstFailure;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The parts of one upload that the store does not have yet. One thread lets the controller sign all parts that are due, because a thread that may be
 * interrupted must not write to the channel, and starts a request for each part. A failed or stalled request is repeated alone, and signed anew. Thread-safe.
 */
final class PartQueue implements Closeable {
    /** How often to look for stalled requests. */
    private static final long CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final StoreUpload upload;
    private final StoreLimits limits;
    private final ExecutorService requests;
    private final Consumer<LaneWrite> measured;
    /** Bytes that first requests have written: repeats are no progress. */
    private final AtomicLong written = new AtomicLong();

    private final IOException closed = new IOException("the transfer is over");

    /** Parts that are to be signed. */
    @GuardedBy("this")
    private final List<Part> ready = new ArrayList<>();

    @GuardedBy("this")
    private final List<Part> running = new ArrayList<>();

    /** Number of parts that the store does not have yet. */
    @GuardedBy("this")
    private int open;

    /** When requests ended that no other has followed, oldest first. */
    @GuardedBy("this")
    private final Queue<Long> idleSince = new ArrayDeque<>();

    @GuardedBy("this")
    private final Queue<byte[]> spare = new ArrayDeque<>();

    @GuardedBy("this")
    private final TreeMap<Integer, String> tags = new TreeMap<>();

    /** Description that is to be sent to the controller. */
    @GuardedBy("this")
    private byte[] listing;

    @GuardedBy("this")
    private byte[] end;

    @GuardedBy("this")
    private boolean answered;

    @GuardedBy("this")
    private final Map<StoreFailure, Integer> repeats = new HashMap<>();

    @GuardedBy("this")
    private final List<Long> nanos = new ArrayList<>();

    @GuardedBy("this")
    private final List<Integer> atOnce = new ArrayList<>();

    @GuardedBy("this")
    private boolean complete;

    /** Whether the controller has to answer. */
    @GuardedBy("this")
    private boolean calling;

    @GuardedBy("this")
    private final FirstFailure failed = new FirstFailure("", "sending");

    /** A part in memory. All fields but the first two are guarded by the queue. */
    private static final class Part {
        private final ObjectPart description;
        private final byte[] bytes;
        private int attempts;
        private long due;
        private long since;
        private StoreRequest request;
        private boolean asksFirst;

        /** Whether a stalled request may still read the bytes after they are stored. */
        private boolean wasAbandoned;

        Part(ObjectPart description, byte[] bytes, long due) {
            this.description = description;
            this.bytes = bytes;
            this.due = due;
        }
    }

    PartQueue(StoreUpload upload, TransferThreads threads, Consumer<LaneWrite> measured, StoreLimits limits) {
        this.upload = upload;
        this.measured = measured;
        this.limits = limits;
        requests = threads.pool("part");
        threads.create("sign", this::signAll).start();
    }

    /**
     * Adds a part; waits while there are too many.
     *
     * @param bytes start with the part; belong to this queue from now on
     */
    synchronized void put(ObjectPart description, byte[] bytes, int most) throws IOException, InterruptedException {
        while (failed.get() == null && open >= most) {
            wait();
        }
        check();
        ready.add(new Part(description, bytes, limits.clock().getAsLong()));
        open++;
        notifyAll();
    }

    /** Returns the array of a part that was stored; null if there is none. */
    @CheckForNull
    synchronized byte[] spare() {
        return spare.poll();
    }

    /** Returns what {@link StoreUpload#end} returns. */
    synchronized byte[] end(byte[] description) throws IOException, InterruptedException {
        listing = description;
        notifyAll();
        while (failed.get() == null && end == null) {
            wait();
        }
        check();
        return end;
    }

    /** Waits until the store has all parts, and returns their tags in order. */
    synchronized List<String> finish() throws IOException, InterruptedException {
        complete = true;
        notifyAll();
        while (failed.get() == null && open > 0) {
            wait();
        }
        check();
        return new ArrayList<>(tags.values());
    }

    /** Returns whether no request can go on before the controller answers. */
    synchronized boolean waitsForController() {
        return calling && running.isEmpty();
    }

    /** Returns the number of bytes that first requests have written. */
    long written() {
        return written.get();
    }

    synchronized StoreFigures figures() {
        return new StoreFigures(
                nanos.stream().mapToLong(Long::longValue).toArray(),
                atOnce.stream().mapToInt(Integer::intValue).toArray(),
                new HashMap<>(repeats));
    }

    @GuardedBy("this")
    private void check() throws IOException {
        IOException reason = failed.get();
        if (reason != null) {
            throw reason;
        }
    }

    private void signAll() {
        try {
            for (List<Part> batch = next(); batch != null; batch = next()) {
                if (batch.isEmpty()) {
                    requestEnd();
                    continue;
                }
                SignedRequest[] signed =
                        upload.sign(batch.stream().map(part -> part.description).toArray(ObjectPart[]::new));
                if (signed.length != batch.size()) {
                    throw new IOException("The controller did not sign all requests to the store");
                }
                for (int i = 0; i < signed.length; i++) {
                    start(batch.get(i), new StoreRequest(signed[i], limits));
                }
            }
        } catch (Throwable e) { // no thread may wait forever for these parts
            fail(e);
        }
    }

    private void requestEnd() throws IOException {
        byte[] description;
        synchronized (this) {
            description = listing;
            listing = null;
        }
        byte[] made = upload.end(description);
        synchronized (this) {
            end = made;
            notifyAll();
        }
    }

    /** Waits for parts to sign; returns none if a description is to be sent, and null if nothing is left to do. */
    @CheckForNull
    private synchronized List<Part> next() throws InterruptedException {
        calling = false;
        while (failed.get() == null && !(complete && open == 0)) {
            abandonStalled();
            long now = limits.clock().getAsLong();
            List<Part> due = new ArrayList<>();
            long wait = CHECK_NANOS;
            for (Iterator<Part> parts = ready.iterator(); parts.hasNext(); ) {
                Part part = parts.next();
                if (part.due - now <= 0) {
                    due.add(part);
                    parts.remove();
                } else {
                    wait = Math.min(wait, part.due - now);
                }
            }
            if (!due.isEmpty() || listing != null) {
                calling = true;
                return due;
            }
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(wait, TimeUnit.MILLISECONDS.toNanos(1)));
        }
        return null;
    }

    /** Repeats stalled requests. Their threads cannot be interrupted, and end later. */
    @GuardedBy("this")
    private void abandonStalled() {
        for (Part part : List.copyOf(running)) {
            if (part.request.isStalled()) {
                part.request.cancel();
                part.wasAbandoned = true;
                failed(part, part.request, StoreFailure.TIMEOUT.because("A request to the store stalled.", null));
            }
        }
    }

    private void start(Part part, StoreRequest request) {
        long waited;
        boolean asksFirst;
        boolean isFirst;
        synchronized (this) {
            if (failed.get() != null) {
                return;
            }
            part.request = request;
            isFirst = part.attempts++ == 0;
            part.since = limits.clock().getAsLong();
            asksFirst = part.asksFirst;
            running.add(part);
            Long since = idleSince.poll();
            waited = since == null ? 0 : limits.clock().getAsLong() - since;
        }
        requests.execute(() -> send(part, request, asksFirst, isFirst, waited));
    }

    private void send(Part part, StoreRequest request, boolean asksFirst, boolean isFirst, long waited) {
        long[] wait = {waited};
        try {
            String tag = request.put(part.bytes, part.description.length(), asksFirst, (length, nanos) -> {
                measured.accept(new LaneWrite(length, nanos, 0, wait[0]));
                wait[0] = 0;
                written.addAndGet(isFirst ? length : 0);
            });
            stored(part, request, tag);
        } catch (StoreException e) {
            failed(part, request, e);
        } catch (Throwable e) { // a full heap, for example
            fail(e);
        }
    }

    private synchronized void stored(Part part, StoreRequest request, String tag) {
        answered = true;
        if (part.request == request) {
            atOnce.add(running.size());
            ended(part);
            nanos.add(limits.clock().getAsLong() - part.since);
            tags.put(part.description.number(), tag);
            open--;
            if (!part.wasAbandoned) {
                spare.add(part.bytes);
            }
        }
    }

    @GuardedBy("this")
    private void ended(Part part) {
        running.remove(part);
        part.request = null;
        idleSince.add(limits.clock().getAsLong());
        notifyAll();
    }

    /** Handles a failed request, unless it was abandoned. */
    private synchronized void failed(Part part, StoreRequest request, StoreException e) {
        if (part.request != request) {
            return;
        }
        ended(part);
        answered |= e.failure() != StoreFailure.UNREACHABLE;
        if (limits.repeats(e, part.attempts, answered)) {
            repeats.merge(e.failure(), 1, Integer::sum);
            part.asksFirst = e.failure() == StoreFailure.BROKEN && !part.asksFirst;
            part.due = limits.clock().getAsLong() + limits.pauseNanos(part.attempts);
            ready.add(part);
        } else {
            String after = part.attempts > 1 ? " after " + part.attempts + " requests" : "";
            fail(new IOException("Cannot store " + request + after + ". " + e.getMessage(), e));
        }
    }

    /** Fails the upload for all threads; only the first reason is kept. Never throws. */
    private synchronized void fail(Throwable reason) {
        if (failed.set(reason)) {
            notifyAll();
        }
    }

    @Override
    public void close() {
        fail(closed);
        synchronized (this) {
            running.forEach(part -> part.request.cancel());
            notifyAll();
        }
        requests.shutdown();
    }
}
