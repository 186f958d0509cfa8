package io.jenkins.plugins.compressionaware.engine.framefile;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.codec.CodecLibrary;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** A frame file, kept open so that replacing or deleting it does not affect reads. One thread reads at a time; {@link #close} does not wait. */
final class RegularFrameFile implements FrameFile {
    private final Path file;
    private final FrameFileFooter footer;
    private final Object identity;
    private final ReentrantLock reading = new ReentrantLock();

    @GuardedBy("reading")
    private final InputStream in;

    private volatile boolean closed;
    private volatile IOException failure;

    /** @param before attributes of the path before the file was opened; another file may have taken the path since */
    RegularFrameFile(Path file, InputStream in, BasicFileAttributes before) throws IOException {
        this.file = file;
        this.in = in;
        List<Object> key = key(before);
        boolean known =
                before.fileKey() != null && key.equals(key(Files.readAttributes(file, BasicFileAttributes.class)));
        identity = known ? key : this;
        long length = in.skip(Long.MAX_VALUE);
        if (length < FrameFileFooter.LENGTH) {
            throw new IOException("the file is too short");
        }
        byte[] last = new byte[FrameFileFooter.LENGTH];
        fill(length - last.length, last, 0, last.length);
        footer = FrameFileFooter.read(last, length);
    }

    @Override
    public String name() {
        return Objects.requireNonNull(file.getFileName()).toString();
    }

    private static List<Object> key(BasicFileAttributes file) {
        return Arrays.asList(file.fileKey(), file.size(), file.lastModifiedTime());
    }

    @Override
    public Object identity() {
        return identity;
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
    public Set<CodecLibrary> libraries() {
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

    @GuardedBy("reading")
    private void fill(long from, byte[] target, int offset, int length) throws IOException {
        // a file's stream can skip backwards, too: rewind it to its start first
        if (in.skip(Long.MIN_VALUE) > 0 || in.skip(from) < from || in.readNBytes(target, offset, length) < length) {
            throw new EOFException("Stash file " + file + " is cut short (needed byte " + (from + length) + ")");
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
