package io.jenkins.plugins.compressionaware.stored;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * A file of frames, open for reading by position. What is read stays the same when the file is replaced or removed meanwhile. Any thread may read, one
 * at a time, and may be interrupted: that breaks off no read, and waits for none. Nor does {@link #close} wait.
 */
@Restricted(NoExternalUse.class)
public final class StoredFrames implements Closeable {
    private final Path file;
    private final Footer footer;
    private final ReentrantLock reading = new ReentrantLock();

    /** Guarded by {@link #reading}. */
    private final InputStream in;

    private volatile boolean closed;

    private StoredFrames(Path file, InputStream in) throws IOException {
        this.file = file;
        this.in = in;
        long length = in.skip(Long.MAX_VALUE);
        if (length < Footer.LENGTH) {
            throw new IOException("it is too short");
        }
        byte[] last = new byte[Footer.LENGTH];
        fill(length - last.length, last, 0, last.length);
        footer = Footer.read(last, length);
    }

    /** @throws IOException naming the file, and why it is none of frames or not whole */
    public static StoredFrames open(Path file) throws IOException {
        // not a FileChannel: Thread.interrupt() would close it for all, and wait for the disk
        InputStream in = Files.newInputStream(file);
        try {
            return new StoredFrames(file, in);
        } catch (IOException e) {
            in.close();
            throw new IOException("Cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    public Path file() {
        return file;
    }

    /** Bytes of all frames together; they begin with the file. */
    public long wireBytes() {
        return footer.framesEnd();
    }

    /** Bytes of all blocks together: those of the tar. */
    public long rawBytes() {
        return footer.rawBytes();
    }

    /** Bytes of the largest block that it may have. */
    public int blockSize() {
        return footer.blockSize();
    }

    /** Whether whoever reads the frames needs more than the JDK. */
    public boolean needsLibraries() {
        return footer.libraries();
    }

    /** Reads bytes of the frames. */
    public void read(long from, byte[] target, int offset, int length) throws IOException {
        if (from < 0 || length < 0 || length > footer.framesEnd() - from) {
            throw new EOFException(file + " has no " + length + " bytes at " + from);
        }
        reading.lock();
        try {
            if (closed) {
                throw new IOException(file + " is closed");
            }
            fill(from, target, offset, length);
        } finally {
            reading.unlock();
            if (closed) {
                close();
            }
        }
    }

    private void fill(long from, byte[] target, int offset, int length) throws IOException {
        // the stream of a file goes back, too: here to its start
        if (in.skip(Long.MIN_VALUE) > 0 || in.skip(from) < from || in.readNBytes(target, offset, length) < length) {
            throw new EOFException(file + " ends before " + (from + length));
        }
    }

    /** At once, or by the thread that reads now when it has read: to close a file waits for that. */
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
