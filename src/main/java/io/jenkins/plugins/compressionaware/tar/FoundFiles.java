package io.jenkins.plugins.compressionaware.tar;

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
import java.util.concurrent.Semaphore;

/** Looks at files in the order of a list: on the calling thread, or a few ahead where that gets more done ({@link Concurrency}). Used by one thread. */
final class FoundFiles implements Closeable {
    /** Permits to read files ahead, for all transfers of this JVM; each file has at most {@link FoundFile#SMALL} bytes in memory. */
    private static final Semaphore AHEAD = new Semaphore(64);

    private final Path base;
    private final Iterator<String> paths;
    private final Executor executor;
    private final Concurrency concurrency;
    private final Queue<FutureTask<FoundFile>> ahead = new ArrayDeque<>();

    /**
     * @param paths    in {@code base}
     * @param executor looks at files ahead; may refuse
     */
    FoundFiles(Path base, Iterator<String> paths, Executor executor, Concurrency concurrency) {
        this.base = base;
        this.paths = paths;
        this.executor = executor;
        this.concurrency = concurrency;
    }

    /**
     * The next file.
     *
     * @throws IOException if it cannot be read
     */
    FoundFile next() throws IOException {
        while (concurrency.now() > 1 && ahead.size() < concurrency.now() && paths.hasNext() && AHEAD.tryAcquire()) {
            int before = ahead.size();
            try {
                begin(paths.next());
            } finally {
                if (ahead.size() == before) { // no memory for the task, which would have released the permit
                    AHEAD.release();
                }
            }
        }
        FoundFile found = ahead.isEmpty() ? FoundFile.in(base, paths.next()) : taken();
        concurrency.done(found.nanos(), System.nanoTime());
        return found;
    }

    private void begin(String path) {
        FutureTask<FoundFile> task = new FutureTask<>(() -> FoundFile.in(base, path));
        ahead.add(task);
        if (!Tasks.begin(executor, task)) {
            task.run();
        }
    }

    private FoundFile taken() throws IOException {
        try {
            return Tasks.outcome(ahead.element());
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
            AHEAD.release();
        }
    }

    /** Looks at no further file. */
    @Override
    public void close() {
        for (FutureTask<FoundFile> task : ahead) {
            // not interrupted: a reader holds nothing that others need
            task.cancel(false);
            AHEAD.release();
        }
        ahead.clear();
    }
}
