package io.jenkins.plugins.compressionaware.engine.tar;

import io.jenkins.plugins.compressionaware.engine.run.JvmLimits;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;

/**
 * Reads attributes and small contents of files, in the order of a list: on the calling thread, or ahead on others if {@link AdaptiveConcurrency} finds that
 * faster. Not thread-safe.
 */
final class FileScanner implements Closeable {
    private final Path base;
    private final Iterator<String> paths;
    private final Executor executor;
    private final AdaptiveConcurrency concurrency;
    private final Queue<FutureTask<ScannedFile>> ahead = new ArrayDeque<>();

    /**
     * @param paths    relative to {@code base}
     * @param executor scans files ahead; may reject tasks
     */
    FileScanner(Path base, Iterator<String> paths, Executor executor, AdaptiveConcurrency concurrency) {
        this.base = base;
        this.paths = paths;
        this.executor = executor;
        this.concurrency = concurrency;
    }

    /**
     * Returns the next file.
     *
     * @throws IOException if the file cannot be read
     */
    ScannedFile next() throws IOException {
        while (concurrency.current() > 1
                && ahead.size() < concurrency.current()
                && paths.hasNext()
                && JvmLimits.READ_AHEAD.tryAcquire()) {
            int before = ahead.size();
            try {
                scanAhead(paths.next());
            } finally {
                if (ahead.size() == before) { // without memory for a task, nothing else would release the permit
                    JvmLimits.READ_AHEAD.release();
                }
            }
        }
        ScannedFile scanned = ahead.isEmpty() ? ScannedFile.in(base, paths.next()) : awaitNext();
        concurrency.record(scanned.nanos(), System.nanoTime());
        return scanned;
    }

    private void scanAhead(String path) {
        FutureTask<ScannedFile> task = new FutureTask<>(() -> ScannedFile.in(base, path));
        ahead.add(task);
        if (!Tasks.begin(executor, task)) {
            task.run();
        }
    }

    private ScannedFile awaitNext() throws IOException {
        try {
            return Tasks.awaitOrRun(ahead.element());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException io) {
                throw io;
            } else if (e.getCause() instanceof InvalidPathException invalid) {
                throw invalid;
            }
            throw new IOException(e.getCause().toString(), e.getCause());
        } catch (InterruptedException e) {
            throw Tasks.interrupted("Interrupted while files were read");
        } finally {
            ahead.remove();
            JvmLimits.READ_AHEAD.release();
        }
    }

    @Override
    public void close() {
        for (FutureTask<ScannedFile> task : ahead) {
            // no interrupt, because a reader holds nothing that others need
            task.cancel(false);
            JvmLimits.READ_AHEAD.release();
        }
        ahead.clear();
    }
}
