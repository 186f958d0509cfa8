package io.jenkins.plugins.compressionaware.engine.delta;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * Reads a file at any position, mostly from start to end. Uses one descriptor for all reads, so replacing the file by a rename does not
 * change the content. Used by one thread.
 */
final class SeekableFileReader implements Closeable {
    /** Bytes to read at a time. */
    static final int WINDOW = 256 * 1024;

    interface ByteConsumer {
        void accept(byte[] bytes, int offset, int length) throws IOException;
    }

    private final Path path;
    final long size;
    private final int ahead;
    private final LinkOption[] options;

    // not a RandomAccessFile: on Windows, a file open that way cannot be deleted with its build
    @CheckForNull
    private InputStream file;

    private long current;
    private byte[] window;
    private long windowFrom;
    private int windowLength;

    /**
     * @param size    expected length of the file in bytes, which may have changed
     * @param ahead   bytes to read at a time
     * @param options whether links are followed
     */
    SeekableFileReader(Path path, long size, int ahead, LinkOption... options) {
        this.path = path;
        this.size = size;
        this.ahead = ahead;
        this.options = options;
    }

    /** Returns whether the open file has the expected size. */
    boolean isAsExpected() throws IOException {
        fill(0);
        return current == size;
    }

    /**
     * Reads exactly {@code length} bytes.
     *
     * @throws FileSystemException    also if the file has become shorter
     * @throws InterruptedIOException if the calling thread is interrupted
     */
    void read(long from, byte[] target, int offset, int length) throws IOException {
        int done = 0;
        while (done < length) {
            long at = from + done;
            if (at < windowFrom || at >= windowFrom + windowLength) {
                fill(at);
            }
            int begin = (int) (at - windowFrom);
            int n = Math.min(length - done, windowLength - begin);
            System.arraycopy(window, begin, target, offset + done, n);
            done += n;
        }
    }

    void read(long from, long to, ByteConsumer reader) throws IOException {
        byte[] buffer = new byte[(int) Math.max(0, Math.min(WINDOW / 4, to - from))];
        for (long at = from; at < to; at += buffer.length) {
            int n = (int) Math.min(buffer.length, to - at);
            read(at, buffer, 0, n);
            reader.accept(buffer, 0, n);
        }
    }

    private void fill(long from) throws IOException {
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException();
        }
        windowLength = 0;
        try {
            if (file == null) {
                window = new byte[(int) Math.max(1, Math.min(ahead, size))];
                file = Files.newInputStream(path, options);
                current = file.skip(Long.MAX_VALUE);
            }
            boolean there =
                    file.skip(Long.MIN_VALUE) <= 0 && file.skip(from) == from; // back to the start, then forward
            int n = there ? file.read(window, 0, (int) Math.max(1, Math.min(window.length, size - from))) : -1;
            if (n < 0) {
                throw new EOFException("it shrank while it was read");
            }
            windowFrom = from;
            windowLength = n;
        } catch (IOException e) {
            throw (IOException) new FileSystemException(path.toString(), null, e.getMessage()).initCause(e);
        }
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }
}
