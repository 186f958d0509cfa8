package io.jenkins.plugins.compressionaware.engine.framefile;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * A file, kept open so that replacing or deleting it does not affect reads. A link is not followed, because an agent may have archived it. One thread reads at
 * a time; {@link #close} does not wait.
 */
@Restricted(NoExternalUse.class)
public final class LocalFile implements RangeReader {
    private final Path file;
    private final Object identity;
    private final long length;
    private final ReentrantLock reading = new ReentrantLock();

    @GuardedBy("reading")
    private final InputStream in;

    private volatile boolean closed;

    public LocalFile(Path file) throws IOException {
        this.file = file;
        // another file may take the path before this one is open
        List<Object> before = key(file);
        in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS);
        try {
            identity = before.get(0) != null && before.equals(key(file)) ? before : this;
            length = in.skip(Long.MAX_VALUE);
        } catch (IOException e) {
            in.close();
            throw e;
        }
    }

    /** Returns an object that probably differs after the file is replaced or changed. The first element identifies the file, if the disk does so. */
    public static List<Object> key(Path file) throws IOException {
        BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return Arrays.asList(
                found.fileKey(), found.size(), found.lastModifiedTime(), found.fileKey() == null ? file : null);
    }

    @Override
    public String name() {
        return Objects.requireNonNull(file.getFileName()).toString();
    }

    @Override
    public Object identity() {
        return identity;
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public void read(long from, byte[] target, int offset, int count) throws IOException {
        reading.lock();
        try {
            if (closed) {
                throw new IOException(file + " is closed");
            }
            // a file's stream can skip backwards, too: rewind it to its start first
            if (in.skip(Long.MIN_VALUE) > 0 || in.skip(from) < from || in.readNBytes(target, offset, count) < count) {
                throw new EOFException(file + " is cut short (needed byte " + (from + count) + ")");
            }
        } finally {
            reading.unlock();
            if (closed) {
                close();
            }
        }
    }

    /** Closes the file. If another thread is reading, that thread closes the file, because closing here would wait for the read. */
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
