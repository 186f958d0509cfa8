package io.jenkins.plugins.compressionaware.engine.store;

import io.jenkins.plugins.compressionaware.engine.adaptive.LaneWrite;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.run.TransferThreads;
import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Stores one object in parts, several at once. An object that fits into one part is one request. Used by one thread. */
@Restricted(NoExternalUse.class)
public final class PartSender implements Closeable {
    /** Length of the first parts, bytes. */
    static final int FIRST_LENGTH = 8 << 20;

    /** Makes parts of 5 MiB, the least that stores accept, where the heap has no space for five longer ones: the store is idle between single requests. */
    private static final double SHORTER = 5 / 8.0;

    /** Stores accept no more parts. */
    private static final int MAX_PARTS = 10_000;

    /** Number of the first parts of an object of unknown length, 20 GB, because longer parts need more memory. */
    private static final int FIRST_PARTS = 2500;

    /** Replaces {@link #FIRST_PARTS} in a small heap: 36 GB. It has no space for the parts of terabytes. */
    private static final int FIRST_PARTS_IN_SMALL_HEAP = 7000;

    /** Later parts become twice as long after so many, so that {@link #MAX_PARTS} are 5 TB. */
    private static final int PARTS_PER_LENGTH = 500;

    private static final int MAX_DOUBLINGS = 7;

    /** Maximum number of parts in memory: four that are sent, and one that is filled. */
    private static final int MAX_BUFFERS = 5;

    private static final int MIN_BUFFERS = 3;

    /** Length of the first buffer, bytes, which grows once: most objects are small. */
    private static final int FIRST_BUFFER = 256 * 1024;

    private final PartQueue queue;
    private final PartChecksum checksum;
    private final HeapBudget.Reservation heap;
    private final long heapBytes;
    private final int firstLength;
    private final int firstParts;
    private byte[] buffer;
    private int filled;
    private int number;
    private long bytes;
    private long waitNanos;
    private volatile boolean waits;

    /**
     * @param upload   called by another thread
     * @param checksum what the store verifies
     * @param measured receives each write to the store; called by several threads
     * @param size     length of the object, bytes; 0 if it is not known
     */
    public PartSender(
            StoreUpload upload,
            PartChecksum checksum,
            TransferThreads threads,
            Consumer<LaneWrite> measured,
            long size) {
        this(upload, checksum, threads, measured, StoreLimits.DEFAULT, FIRST_LENGTH, HeapBudget.ofThisJvm(), size);
    }

    /** @param longest length of the first parts, bytes, unless the heap is small or the object has more than 10,000 of them */
    public PartSender(
            StoreUpload upload,
            PartChecksum checksum,
            TransferThreads threads,
            Consumer<LaneWrite> measured,
            StoreLimits limits,
            int longest,
            HeapBudget budget,
            long size) {
        this.checksum = checksum;
        queue = new PartQueue(upload, threads, measured, limits);
        long free = (budget.limit() - budget.inUse()) / 2;
        boolean isSmall = free < (long) MAX_BUFFERS * longest;
        int usual = isSmall ? (int) (longest * SHORTER) : longest;
        firstLength = (int) Math.min(Integer.MAX_VALUE - 8, Math.max(usual, (size - 1) / MAX_PARTS + 1));
        boolean isSmallHeap = budget.limit() / 2 < (long) MAX_BUFFERS * longest; // not what is free now
        firstParts = size > 0 ? MAX_PARTS : isSmallHeap ? FIRST_PARTS_IN_SMALL_HEAP : FIRST_PARTS;
        buffer = new byte[Math.min(FIRST_BUFFER, firstLength)];
        heapBytes = firstLength * Math.max(MIN_BUFFERS, Math.min(MAX_BUFFERS, free / firstLength));
        heap = budget.open(heapBytes, 0);
    }

    int length(int part) {
        int longer = part <= firstParts ? 0 : 1 + (part - firstParts - 1) / PARTS_PER_LENGTH;
        return firstLength << Math.min(longer, MAX_DOUBLINGS);
    }

    /** Returns the maximum number of requests at a time when a part is sent. */
    public int lanes(int part) {
        return (int) Math.max(1, heapBytes / length(part) - 1);
    }

    /** Appends bytes to the object; waits while too many parts are in memory. Fails if a part could not be stored. */
    public void append(byte[] source, int offset, int length) throws IOException, InterruptedException {
        for (int done = 0; done < length; ) {
            if (filled == length(number + 1)) {
                submit(++number);
            }
            int partLength = length(number + 1);
            int n = Math.min(length - done, partLength - filled);
            reserve(filled + n, partLength);
            System.arraycopy(source, offset + done, buffer, filled, n);
            filled += n;
            done += n;
        }
        bytes += length;
    }

    private void reserve(int length, int partLength) {
        if (buffer == null) {
            byte[] spare = queue.spare(partLength);
            buffer = spare == null ? new byte[partLength] : spare;
        } else if (buffer.length < length) {
            buffer = Arrays.copyOf(buffer, partLength);
        }
    }

    private void submit(int part) throws IOException, InterruptedException {
        ObjectPart description = new ObjectPart("", part, filled, checksum.of(buffer, filled));
        long start = System.nanoTime();
        waits = true;
        queue.put(description, buffer, lanes(part));
        waits = false;
        waitNanos += System.nanoTime() - start;
        buffer = null;
        filled = 0;
    }

    /** Appends the end that the controller makes from a description of all bytes so far. */
    public void appendEnd(byte[] listing) throws IOException, InterruptedException {
        byte[] end = queue.end(listing);
        append(end, 0, end.length);
    }

    /** Stores the last bytes, waits until the store has all parts, and returns their tags in order: one if the object was stored by one request. */
    public List<String> finish() throws IOException, InterruptedException {
        submit(number == 0 ? ObjectPart.WHOLE : number + 1); // never empty after others
        long start = System.nanoTime();
        waits = true;
        List<String> tags = queue.finish();
        waits = false;
        waitNanos += System.nanoTime() - start;
        return tags;
    }

    /** Returns the number of bytes appended. */
    public long bytes() {
        return bytes;
    }

    /** Returns the number of bytes that requests have written, without those of repeated requests. Any thread may call this. */
    public long written() {
        return queue.written();
    }

    /** Returns the time spent waiting until the store has parts, nanoseconds. */
    public long waitNanos() {
        return waitNanos;
    }

    /** Returns whether no request can go on before the controller answers. Any thread may call this. */
    public boolean waitsForController() {
        return queue.waitsForController();
    }

    /** Returns whether the object cannot grow before the store has a part. Any thread may call this. */
    public boolean waitsForStore() {
        return waits && !waitsForController();
    }

    public StoreFigures figures() {
        return queue.figures();
    }

    /** Ends the upload. Requests that are running end at their next step. */
    @Override
    public void close() {
        queue.close();
        heap.close();
    }
}
