package io.jenkins.plugins.compressionaware.engine.tar;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;

/** Writes the files of a tar: itself, or through {@link ParallelFileWriter} if a file is small and the disk is slow. Not thread-safe. */
final class FileExtractor {
    /** Maximum size of a file that {@link ParallelFileWriter} may write, bytes. */
    private static final int MAX_PARALLEL_FILE_BYTES = 1 << 20;

    private final ParallelFileWriter writers;
    private final byte[] buffer = new byte[128 * 1024];
    private final LongAdder written = new LongAdder();

    FileExtractor(ParallelFileWriter writers) {
        this.writers = writers;
    }

    /**
     * Writes a file, or queues it for another thread.
     *
     * @param folder the file's folder, always in the same spelling unless {@link ParallelFileWriter#awaitIdle()} is called in between
     * @throws IOException about this file or a previous one
     */
    void write(Path folder, PendingFile target, InputStream content, long size) throws IOException {
        if (size > MAX_PARALLEL_FILE_BYTES || writers.concurrency() == 1) {
            writers.awaitIdle(folder);
            long took = writeNow(target, content, size);
            if (size <= MAX_PARALLEL_FILE_BYTES) {
                writers.done(took);
            }
            return;
        }
        byte[] bytes = content.readNBytes((int) size);
        if (bytes.length < size) {
            throw endedEarly(size - bytes.length);
        }
        if (!writers.write(folder, target, bytes)) {
            writers.awaitIdle(folder);
            writers.done(writeNow(target, new ByteArrayInputStream(bytes), size));
        }
    }

    /** Writes a file. Returns nanoseconds to create and finish the file, without its content, which is written to the page cache. */
    private long writeNow(PendingFile target, InputStream content, long size) throws IOException {
        long before = written.sum();
        try {
            return writeAndFinish(target, content, size);
        } catch (IOException | RuntimeException | Error e) {
            target.fail(e);
            if (e instanceof ReferenceMismatchException) {
                written.add(before - written.sum()); // a file with a failed delta is resent
            }
            throw e;
        }
    }

    private long writeAndFinish(PendingFile target, InputStream content, long size) throws IOException {
        long start = System.nanoTime();
        OutputStream out = target.create(false);
        long end;
        long created = System.nanoTime();
        try (out) {
            if (content instanceof EntryDecoder.Content rebuilt && rebuilt.copyTo(target.path(), out)) {
                written.add(size);
            } else {
                copy(content, size, out);
            }
            end = System.nanoTime();
        }
        target.finish();
        return created - start + System.nanoTime() - end;
    }

    private void copy(InputStream content, long size, OutputStream out) throws IOException {
        for (long left = size; left > 0; ) {
            // fill the buffer, because a single read may return one byte of a delta
            int n = content.readNBytes(buffer, 0, (int) Math.min(buffer.length, left));
            if (n == 0) {
                throw endedEarly(left);
            }
            out.write(buffer, 0, n);
            written.add(n);
            left -= n;
        }
    }

    private static IOException endedEarly(long left) {
        return new EOFException("the stream ended " + left + " bytes too early");
    }

    /** Returns the number of content bytes that this object itself has written so far. Thread-safe. */
    long written() {
        return written.sum();
    }
}
