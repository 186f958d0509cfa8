package io.jenkins.plugins.compressionaware.engine.tar;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;

/** Writes the files of a tar: itself, or through {@link ParallelFileWriter} if a file is small and the disk is slow. Not thread-safe. */
final class FileExtractor {
    /** Maximum size of a file that {@link ParallelFileWriter} may write, bytes. */
    private static final int MAX_PARALLEL_FILE_BYTES = 1 << 20;

    private final ParallelFileWriter writers;
    private final byte[] buffer = new byte[128 * 1024];

    FileExtractor(ParallelFileWriter writers) {
        this.writers = writers;
    }

    /**
     * Writes a file, or queues it for another thread.
     *
     * @param folder  the file's folder, always in the same spelling unless {@link ParallelFileWriter#awaitIdle()} is called in between
     * @param content has exactly {@code size} bytes, or throws an exception, as {@link TarReader} and {@link EntryDecoder.Content} do
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
        if (!writers.write(folder, target, bytes)) {
            writers.awaitIdle(folder);
            writers.done(writeNow(target, new ByteArrayInputStream(bytes), size));
        }
    }

    /** Writes a file. Returns nanoseconds to create and finish the file, without its content, which is written to the page cache. */
    private long writeNow(PendingFile target, InputStream content, long size) throws IOException {
        try {
            return writeAndFinish(target, content, size);
        } catch (IOException | RuntimeException | Error e) {
            target.fail(e);
            throw e;
        }
    }

    private long writeAndFinish(PendingFile target, InputStream content, long size) throws IOException {
        long start = System.nanoTime();
        OutputStream out = target.create(false);
        long end;
        long created = System.nanoTime();
        try (out) {
            if (content instanceof EntryDecoder.Content rebuilt && rebuilt.copyTo(target.path, out)) {
                writers.written.add(size);
            } else {
                copy(content, out);
            }
            end = System.nanoTime();
        }
        target.finish();
        return created - start + System.nanoTime() - end;
    }

    private void copy(InputStream content, OutputStream out) throws IOException {
        long done = 0;
        try {
            int n;
            // fill the buffer, because a single read may return one byte of a delta
            while ((n = content.readNBytes(buffer, 0, buffer.length)) > 0) {
                out.write(buffer, 0, n);
                writers.written.add(n);
                done += n;
            }
        } catch (ReferenceMismatchException e) { // the file is resent
            writers.written.add(-done);
            throw e;
        }
    }
}
