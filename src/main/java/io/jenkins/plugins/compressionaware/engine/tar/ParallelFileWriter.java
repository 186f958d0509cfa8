package io.jenkins.plugins.compressionaware.engine.tar;

import io.jenkins.plugins.compressionaware.engine.flow.JvmLimits;
import io.jenkins.plugins.compressionaware.engine.flow.Tasks;

import edu.umd.cs.findbugs.annotations.SuppressFBWarnings;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Writes files that are in memory, as many at a time as {@link AdaptiveConcurrency} says. Within a folder they are created one after the other, in order of arrival,
 * so that the later of two names that are one on the disk wins; a file system orders creations within a folder anyway. Contents and times are written in
 * any order. One thread brings files.
 */
final class ParallelFileWriter {
    /** Heap of a file beside its content: the objects around it, bytes. */
    private static final int OBJECT_OVERHEAD = 512;

    /** Heap for each character of its name, as text and as a path, bytes. */
    private static final int BYTES_PER_NAME_CHAR = 8;

    /** Time that a close waits for files that are being written, nanoseconds: a disk that answers needs a few milliseconds. */
    private static final long CLOSE_GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** @param heap bytes that it takes */
    private record PendingWrite(FolderQueue folder, PendingFile target, byte[] content, long heap) {}

    /** Files of one folder. */
    private static final class FolderQueue {
        final Path name;
        final Deque<PendingWrite> waiting = new ArrayDeque<>();
        /** Files that are being written. */
        int begun;

        boolean creating;

        FolderQueue(Path name) {
            this.name = name;
        }

        boolean isReady() {
            return !creating && !waiting.isEmpty();
        }
    }

    private final WorkerResources helpers;
    private final Runnable work = this::work;
    private final IOException outOfMemory = new IOException("Cannot write files: the JVM is out of memory");
    // everything below is guarded by this
    private final AdaptiveConcurrency concurrency;
    private final Map<Path, FolderQueue> folders = new HashMap<>();
    private final Deque<FolderQueue> ready = new ArrayDeque<>();
    private int writers;
    private long written;
    private boolean closed;
    private IOException failure;
    private Runnable afterwards;

    ParallelFileWriter(WorkerResources helpers, AdaptiveConcurrency concurrency) {
        this.helpers = helpers;
        this.concurrency = concurrency;
    }

    /**
     * Files to write at a time now.
     *
     * @throws IOException about the first file that could not be written
     */
    synchronized int concurrency() throws IOException {
        check();
        return concurrency.current();
    }

    /** The thread that brings files has written one itself, in this many nanoseconds. */
    synchronized void done(long took) {
        concurrency.record(took, System.nanoTime());
    }

    /**
     * Writes a file soon.
     *
     * @param name   its folder, always in the same spelling unless {@link #awaitIdle()} is called in between
     * @return false if there is no heap or no thread for it
     * @throws IOException about the first file that could not be written
     */
    synchronized boolean write(Path name, PendingFile target, byte[] content) throws IOException {
        long heap = content.length + OBJECT_OVERHEAD + BYTES_PER_NAME_CHAR * target.nameLength();
        while (!helpers.heap().tryReserve(heap)) {
            if (folders.isEmpty()) {
                return false;
            }
            await();
        }
        FolderQueue folder = folders.computeIfAbsent(name, FolderQueue::new);
        PendingWrite file = new PendingWrite(folder, target, content, heap);
        folder.waiting.add(file);
        if (folder.waiting.size() == 1 && folder.isReady()) {
            makeReady(folder);
        }
        if (writers > 0 || !folder.waiting.remove(file)) {
            return true;
        }
        // there is no thread for it, so no other file can have been begun meanwhile
        ready.remove(folder);
        folders.remove(name);
        helpers.heap().release(heap);
        return false;
    }

    private void makeReady(FolderQueue folder) {
        ready.add(folder);
        if (writers < concurrency.current() && JvmLimits.WRITERS.tryAcquire()) {
            writers++;
            if (!Tasks.begin(helpers.executor(), work)) {
                // the other writers do it
                writers--;
                JvmLimits.WRITERS.release();
            }
        }
    }

    private void work() {
        try {
            writeAll();
        } catch (Throwable e) { // an OutOfMemoryError, for example; all transfers share the permits
            end();
        }
        Runnable last = afterwards();
        if (last != null) {
            last.run();
        }
    }

    private synchronized void end() {
        failure = failure == null ? outOfMemory : failure;
        release();
    }

    private void release() {
        writers--;
        JvmLimits.WRITERS.release();
        notifyAll();
    }

    private void writeAll() {
        for (PendingWrite next = take(); next != null; next = take()) {
            long start = System.nanoTime();
            long took = -1;
            try (OutputStream out = next.target.create(true)) {
                created(next.folder);
                long created = System.nanoTime();
                out.write(next.content);
                long end = System.nanoTime();
                out.close();
                next.target.finish();
                took = created - start + System.nanoTime() - end;
            } catch (IOException | RuntimeException | Error e) {
                next.target.fail(e);
                IOException cause = e instanceof IOException io ? io : new IOException(e.toString(), e);
                fail(next.target.explain(cause));
            }
            finished(next, took);
        }
    }

    /** @return null if this writer must end: it no longer counts for the thread that brings files */
    private synchronized PendingWrite take() {
        if (closed || failure != null || writers > concurrency.current() || ready.isEmpty()) {
            release();
            return null;
        }
        FolderQueue folder = ready.remove();
        folder.begun++;
        folder.creating = true;
        return folder.waiting.remove();
    }

    private synchronized void created(FolderQueue folder) {
        folder.creating = false;
        if (folder.isReady()) {
            makeReady(folder);
        }
    }

    private synchronized void finished(PendingWrite done, long took) {
        helpers.heap().release(done.heap());
        FolderQueue folder = done.folder;
        folder.begun--;
        if (folder.begun == 0 && folder.waiting.isEmpty()) {
            folders.remove(folder.name);
        }
        if (took >= 0) {
            written += done.content.length;
            concurrency.record(took, System.nanoTime());
        }
        notifyAll();
    }

    private synchronized void fail(IOException e) {
        if (failure == null) {
            failure = e;
        }
    }

    private synchronized boolean isIdle() {
        return writers == 0;
    }

    /** The task for the last writer; null for others. */
    private synchronized Runnable afterwards() {
        Runnable last = isIdle() ? afterwards : null;
        if (last != null) {
            afterwards = null;
        }
        return last;
    }

    /** Waits until the files of a folder are written. */
    synchronized void awaitIdle(Path folder) throws IOException {
        check();
        while (folders.containsKey(folder)) {
            await();
        }
    }

    /** Waits until all files are written. */
    synchronized void awaitIdle() throws IOException {
        check();
        while (!folders.isEmpty()) {
            await();
        }
    }

    @SuppressFBWarnings(value = "WA_NOT_IN_LOOP", justification = "whoever calls this does it in a loop")
    private void await() throws IOException {
        try {
            wait();
        } catch (InterruptedException e) {
            throw Tasks.interrupted("Interrupted while files were written");
        }
        check();
    }

    private void check() throws IOException {
        if (failure != null) {
            throw failure;
        }
    }

    /** Bytes of contents written so far. Any thread may ask. */
    synchronized long written() {
        return written;
    }

    /** The first failure of a file that another thread wrote; null if there is none. */
    synchronized IOException failure() {
        return failure;
    }

    /** See {@link AdaptiveConcurrency#peak}. */
    synchronized int peakConcurrency() {
        return concurrency.peak();
    }

    /**
     * Begins no further file.
     *
     * @param last runs when no file is being written any more: before this returns, unless the disk takes long
     */
    void close(Runnable last) {
        boolean idle;
        synchronized (this) {
            closed = true;
            for (FolderQueue folder : folders.values()) {
                folder.waiting.forEach(file -> helpers.heap().release(file.heap()));
                folder.waiting.clear();
            }
            ready.clear();
            idle = Tasks.awaitUninterruptibly(this, this::isIdle, CLOSE_GRACE_NANOS);
            if (!idle) {
                afterwards = last;
            }
        }
        if (idle) {
            last.run();
        }
    }
}
