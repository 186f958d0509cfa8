package io.jenkins.plugins.compressionaware.engine.framefile;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/** Keeps the file open, so that reads return the same bytes even if it is replaced or removed. One thread reads at a time. {@link #close} does not wait. */
final class RegularFrameFile implements FrameFile {
    private final Path file;
    private final FrameFileFooter footer;
    private final ReentrantLock reading = new ReentrantLock();

    /** Guarded by {@link #reading}. */
    private final InputStream in;

    private volatile boolean closed;
    private volatile IOException failure;

    private RegularFrameFile(Path file, InputStream in) throws IOException {
        this.file = file;
        this.in = in;
        long length = in.skip(Long.MAX_VALUE);
        if (length < FrameFileFooter.LENGTH) {
            throw new IOException("the file is too short");
        }
        byte[] last = new byte[FrameFileFooter.LENGTH];
        fill(length - last.length, last, 0, last.length);
        footer = FrameFileFooter.read(last, length);
    }

    /** @throws IOException that names the file and says why it is no stored file, or not whole */
    static RegularFrameFile open(Path file) throws IOException {
        InputStream in = Files.newInputStream(file);
        try {
            return new RegularFrameFile(file, in);
        } catch (IOException e) {
            in.close();
            throw new IOException("Cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    @Override
    public String name() {
        return Objects.requireNonNull(file.getFileName()).toString();
    }

    @Override
    public long wireBytes() {
        return footer.framesEnd();
    }

    @Override
    public long rawBytes() {
        return footer.rawBytes();
    }

    @Override
    public int blockSize() {
        return footer.blockSize();
    }

    @Override
    public boolean needsLibraries() {
        return footer.libraries();
    }

    @Override
    @CheckForNull
    public IOException failure() {
        return failure;
    }

    @Override
    public void read(long from, byte[] target, int offset, int length) throws IOException {
        if (from < 0 || length < 0 || length > footer.framesEnd() - from) {
            throw new EOFException(file + " has no " + length + " bytes at " + from);
        }
        reading.lock();
        try {
            if (closed) {
                throw new IOException(file + " is closed");
            }
            try {
                fill(from, target, offset, length);
            } catch (IOException e) {
                failure = e;
                throw e;
            }
        } finally {
            reading.unlock();
            if (closed) {
                close();
            }
        }
    }

    private void fill(long from, byte[] target, int offset, int length) throws IOException {
        // a file's stream can also skip backwards: here to its start
        if (in.skip(Long.MIN_VALUE) > 0 || in.skip(from) < from || in.readNBytes(target, offset, length) < length) {
            throw new EOFException("Stash file " + file + " is cut short (needed byte " + (from + length) + ")");
        }
    }

    /** Closes the file at once, or leaves that to a thread that is reading now: closing would wait for its read. */
    @Override
    public void close() throws IOException {
        closed = true;
        if (reading.tryLock()) {
            try {
                in.close();
            } finally {
                reading.unlock();
            }
        }
    }
}
