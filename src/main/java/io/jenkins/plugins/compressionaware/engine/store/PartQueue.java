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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The parts of one upload that the store does not have yet. A thread of a pool sends each part, and lets the controller sign all parts that are due. These
 * threads are never interrupted, because they write to the channel. A failed or stalled request is repeated alone, and signed anew. Thread-safe.
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

    /** Number of calls that the controller has not answered. */
    private final AtomicInteger calls = new AtomicInteger();

    @GuardedBy("this")
    private boolean isSigning;

    /** Parts that are to be signed. */
    @GuardedBy("this")
    private final List<Part> unsigned = new ArrayList<>();

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

    @GuardedBy("this")
    private boolean answered;

    @GuardedBy("this")
    private final Map<StoreFailure, Integer> repeats = new HashMap<>();

    @GuardedBy("this")
    private final List<Long> nanos = new ArrayList<>();

    @GuardedBy("this")
    private final List<Integer> atOnce = new ArrayList<>();

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

        Part(ObjectPart description, byte[] bytes) {
            this.description = description;
            this.bytes = bytes;
        }
    }

    PartQueue(StoreUpload upload, TransferThreads threads, Consumer<LaneWrite> measured, StoreLimits limits) {
        this.upload = upload;
        this.measured = measured;
        this.limits = limits;
        requests = threads.pool("part");
    }

    /** Adds a part; waits while there are too many. The array, which starts with the part, belongs to this queue from now on. */
    synchronized void put(ObjectPart description, byte[] bytes, int most) throws IOException, InterruptedException {
        while (failed.get() == null && open >= most) {
            awaitRequests();
        }
        check();
        open++;
        start(new Part(description, bytes), 0);
    }

    /** Returns the array of a part that was stored; null if there is none of this length. Drops those of other lengths. */
    @CheckForNull
    synchronized byte[] spare(int length) {
        spare.removeIf(array -> array.length != length);
        return spare.poll();
    }

    /** Returns what {@link StoreUpload#end} returns. */
    byte[] end(byte[] description) throws IOException, InterruptedException {
        calls.incrementAndGet();
        try {
            return requests.submit(() -> upload.end(description)).get();
        } catch (ExecutionException e) {
            fail(e.getCause());
            synchronized (this) {
                throw Objects.requireNonNull(failed.get());
            }
        } finally {
            calls.decrementAndGet();
        }
    }

    /** Waits until the store has all parts, and returns their tags in order. */
    synchronized List<String> finish() throws IOException, InterruptedException {
        while (failed.get() == null && open > 0) {
            awaitRequests();
        }
        check();
        return new ArrayList<>(tags.values());
    }

    /** Returns whether no request can go on before the controller answers. */
    synchronized boolean waitsForController() {
        return calls.get() > 0 && running.isEmpty();
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

    /** Waits for a change, or for a second, and then repeats stalled requests. The threads of stalled requests end later. */
    @GuardedBy("this")
    private void awaitRequests() throws InterruptedException {
        TimeUnit.NANOSECONDS.timedWait(this, CHECK_NANOS);
        for (Part part : List.copyOf(running)) {
            if (part.request.isStalled()) {
                part.request.cancel();
                part.wasAbandoned = true;
                failed(part, part.request, StoreFailure.TIMEOUT.because("A request to the store stalled.", null));
            }
        }
    }

    @GuardedBy("this")
    private void start(Part part, long pauseNanos) {
        part.due = limits.clock().getAsLong() + pauseNanos;
        unsigned.add(part);
        try {
            requests.execute(() -> {
                try {
                    send(part);
                } catch (Throwable e) { // no thread may wait forever for this part
                    fail(e);
                }
            });
        } catch (Throwable e) { // no thread is available
            fail(e);
        }
    }

    /** Waits until a part is due, and lets the controller sign it with all others that are due, unless another thread does. */
    private void sign(Part part) throws IOException, InterruptedException {
        List<Part> batch;
        synchronized (this) {
            while (failed.get() == null && part.due - limits.clock().getAsLong() > 0) {
                TimeUnit.NANOSECONDS.timedWait(this, part.due - limits.clock().getAsLong());
            }
            while (failed.get() == null && isSigning && part.request == null) {
                wait();
            }
            if (failed.get() != null || part.request != null) {
                return;
            }
            isSigning = true;
            long now = limits.clock().getAsLong();
            batch = unsigned.stream().filter(each -> each.due - now <= 0).toList();
            unsigned.removeAll(batch);
        }
        calls.incrementAndGet();
        SignedRequest[] signed =
                upload.sign(batch.stream().map(each -> each.description).toArray(ObjectPart[]::new));
        calls.decrementAndGet();
        if (signed.length != batch.size()) {
            throw new IOException("The controller did not sign all requests to the store");
        }
        synchronized (this) {
            long now = limits.clock().getAsLong();
            for (int i = 0; i < signed.length; i++) {
                batch.get(i).request = new StoreRequest(signed[i], now, limits);
            }
            isSigning = false;
            notifyAll();
        }
    }

    private void send(Part part) throws IOException, InterruptedException {
        sign(part);
        StoreRequest request;
        boolean asksFirst;
        boolean isFirst;
        long[] wait = new long[1];
        synchronized (this) {
            request = part.request;
            if (failed.get() != null) {
                return;
            }
            isFirst = part.attempts++ == 0;
            part.since = limits.clock().getAsLong();
            asksFirst = part.asksFirst;
            running.add(part);
            Long since = idleSince.poll();
            wait[0] = since == null ? 0 : part.since - since;
        }
        try {
            String tag = request.put(part.bytes, part.description.length(), asksFirst, (length, nanos) -> {
                measured.accept(new LaneWrite(length, nanos, 0, wait[0]));
                wait[0] = 0;
                written.addAndGet(isFirst ? length : 0);
            });
            stored(part, request, tag);
        } catch (StoreException e) {
            failed(part, request, e);
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
            start(part, limits.pauseNanos(part.attempts));
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
        }
        requests.shutdown();
    }
}
