package io.jenkins.plugins.compressionaware.engine.tar;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.SuppressFBWarnings;
import io.jenkins.plugins.compressionaware.engine.run.DiskHelpers;
import io.jenkins.plugins.compressionaware.engine.run.JvmLimits;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Writes small files from memory on as many threads as {@link AdaptiveConcurrency} chooses. Files of one folder are created in order of arrival, so that the
 * later of two names wins if the disk cannot distinguish them; contents and times are written in any order. One thread adds files.
 */
final class ParallelFileWriter {
    /** Heap of a waiting file besides its content and name, bytes. */
    private static final int OBJECT_OVERHEAD = 512;

    /** Heap per character of a file's name, which is kept as text and as a path, bytes. */
    private static final int BYTES_PER_NAME_CHAR = 8;

    /** How long {@link #close} waits for running writes, nanoseconds. A disk that responds needs a few milliseconds. */
    private static final long CLOSE_GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** How long a writer may take to start. Afterwards the executor may have lost its task. */
    private static final long START_MILLIS = 1_000;

    /** @param heap reserved bytes */
    private record PendingWrite(FolderQueue folder, PendingFile target, byte[] content, long heap) {}

    /** The files of one folder. */
    private static final class FolderQueue {
        final Path name;
        final Deque<PendingWrite> waiting = new ArrayDeque<>();
        /** Number of files being written. */
        int running;

        boolean creating;

        FolderQueue(Path name) {
            this.name = name;
        }
    }

    private final DiskHelpers helpers;
    private final Runnable work = this::work;
    /** Content bytes written so far, including those that {@link FileExtractor} writes itself. */
    final LongAdder written = new LongAdder();

    private final IOException outOfMemory = new IOException("Cannot write files: the JVM is out of memory");

    @GuardedBy("this")
    private final AdaptiveConcurrency concurrency;

    @GuardedBy("this")
    private final Map<Path, FolderQueue> folders = new HashMap<>();

    @GuardedBy("this")
    private final Deque<FolderQueue> ready = new ArrayDeque<>();

    /** Files that wait, are being written, or have failed, in order of arrival. */
    @GuardedBy("this")
    private final Set<PendingFile> missing = new LinkedHashSet<>();

    @GuardedBy("this")
    private int writers;

    /** Number of writers whose task has not started. */
    @GuardedBy("this")
    private int starting;

    @GuardedBy("this")
    private boolean closed;

    @GuardedBy("this")
    private IOException failure;

    @GuardedBy("this")
    private Runnable cleanup;

    ParallelFileWriter(DiskHelpers helpers, AdaptiveConcurrency concurrency) {
        this.helpers = helpers;
        this.concurrency = concurrency;
    }

    /**
     * Returns how many files to write in parallel.
     *
     * @throws IOException about the first file that could not be written
     */
    synchronized int concurrency() throws IOException {
        check();
        return concurrency.current();
    }

    /** Records a file that the calling thread wrote itself, in this many nanoseconds. */
    synchronized void done(long took) {
        concurrency.record(took, System.nanoTime());
    }

    /**
     * Queues a file.
     *
     * @param name the file's folder, always in the same spelling unless {@link #awaitIdle()} is called in between
     * @return false if no heap or no thread is available for the file
     * @throws IOException about the first file that could not be written
     */
    synchronized boolean write(Path name, PendingFile target, byte[] content) throws IOException {
        long heap = content.length + OBJECT_OVERHEAD + BYTES_PER_NAME_CHAR * target.sentAs.length();
        while (!helpers.heap().tryReserve(heap)) {
            if (folders.isEmpty()) {
                return false;
            }
            await();
        }
        FolderQueue folder = folders.computeIfAbsent(name, FolderQueue::new);
        PendingWrite file = new PendingWrite(folder, target, content, heap);
        folder.waiting.add(file);
        missing.add(target);
        if (folder.waiting.size() == 1 && !folder.creating) {
            makeReady(folder);
        }
        if (writers > 0 || !folder.waiting.remove(file)) {
            return true;
        }
        // without a writer, no other file of this folder can be queued or running
        ready.remove(folder);
        folders.remove(name);
        missing.remove(target);
        helpers.heap().release(heap);
        return false;
    }

    @GuardedBy("this")
    private void makeReady(FolderQueue folder) {
        ready.add(folder);
        if (writers < concurrency.current() && JvmLimits.WRITERS.tryAcquire()) {
            writers++;
            starting++;
            if (!Tasks.begin(helpers.executor(), work)) {
                // the running writers take over the folder
                starting--;
                writers--;
                JvmLimits.WRITERS.release();
            }
        }
    }

    private void work() {
        if (!begin()) {
            return;
        }
        try {
            writeAll();
        } catch (Throwable e) { // such as OutOfMemoryError; the permit must be released, because all transfers share it
            end();
        }
        Runnable task = takeCleanup();
        if (task != null) {
            task.run();
        }
    }

    /** Returns false if another task has started in place of this one, or if {@link #close} has cancelled it. */
    private synchronized boolean begin() {
        boolean begins = starting > 0;
        starting -= begins ? 1 : 0;
        return begins;
    }

    private synchronized void end() {
        failure = failure == null ? outOfMemory : failure;
        release();
    }

    @GuardedBy("this")
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
                fail(PendingFile.explain(next.target.sentAs, cause));
            }
            finished(next, took);
        }
    }

    /** Removes and returns the next file to write; null if this writer must stop, and is then no longer included in {@code writers}. */
    private synchronized PendingWrite take() {
        if (closed || failure != null || writers > concurrency.current() || ready.isEmpty()) {
            release();
            return null;
        }
        FolderQueue folder = ready.remove();
        folder.running++;
        folder.creating = true;
        return folder.waiting.remove();
    }

    private synchronized void created(FolderQueue folder) {
        folder.creating = false;
        if (!folder.waiting.isEmpty()) {
            makeReady(folder);
        }
    }

    private synchronized void finished(PendingWrite done, long took) {
        helpers.heap().release(done.heap());
        FolderQueue folder = done.folder;
        folder.running--;
        if (folder.running == 0 && folder.waiting.isEmpty()) {
            folders.remove(folder.name);
        }
        if (took >= 0) {
            missing.remove(done.target);
            written.add(done.content.length);
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

    /** Returns the cleanup task to the last writer, and null to all others. */
    private synchronized Runnable takeCleanup() {
        Runnable task = isIdle() ? cleanup : null;
        if (task != null) {
            cleanup = null;
        }
        return task;
    }

    /** Waits until the files of one folder are written. */
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

    @SuppressFBWarnings(value = "WA_NOT_IN_LOOP", justification = "all callers loop")
    @GuardedBy("this")
    private void await() throws IOException {
        long start = System.nanoTime();
        try {
            wait(START_MILLIS);
        } catch (InterruptedException e) {
            throw Tasks.interrupted("Interrupted while files were written");
        }
        if (starting > 0 && System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(START_MILLIS)) {
            // a superfluous task ends at once
            Tasks.begin(helpers.executor(), work);
        }
        check();
    }

    @GuardedBy("this")
    private void check() throws IOException {
        if (failure != null) {
            throw failure;
        }
    }

    /** Returns the first failure of a file; null if there is none. */
    synchronized IOException failure() {
        return failure;
    }

    /** Returns the first file to arrive that is not written; null if there is none. Gives running writes some time to finish, unless {@code now}. */
    @CheckForNull
    PendingFile firstMissing(boolean now) {
        Tasks.awaitUninterruptibly(this, this::isIdle, now ? 0 : CLOSE_GRACE_NANOS);
        synchronized (this) {
            return missing.isEmpty() ? null : missing.iterator().next();
        }
    }

    /** Returns {@link AdaptiveConcurrency#peak}. */
    synchronized int peakConcurrency() {
        return concurrency.peak();
    }

    /**
     * Discards the files that wait, and lets running writes finish.
     *
     * @param task runs when no file is being written: before this method returns, or later if the disk hangs
     */
    void close(Runnable task) {
        boolean idle;
        synchronized (this) {
            closed = true;
            for (FolderQueue folder : folders.values()) {
                folder.waiting.forEach(file -> helpers.heap().release(file.heap()));
                folder.waiting.clear();
            }
            ready.clear();
            for (; starting > 0; starting--) {
                release();
            }
            idle = Tasks.awaitUninterruptibly(this, this::isIdle, CLOSE_GRACE_NANOS);
            cleanup = idle ? null : task;
        }
        if (idle) {
            task.run();
        }
    }
}
