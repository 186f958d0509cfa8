package io.jenkins.plugins.compressionaware.engine.framefile;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** A frame file whose last bytes are in a {@link StoredRecord}, and all others in a store. Opens the object for the first of its bytes. Thread-safe. */
@Restricted(NoExternalUse.class)
public final class StoredFile implements RangeReader {
    private final Path file;
    private final LocalFile local;
    private final StoredRecord record;
    private final long endStart;
    private final long framesEnd;

    @GuardedBy("this")
    private RangeReader object;

    /** @param endStart where the last bytes of the object begin in the local file */
    StoredFile(Path file, LocalFile local, StoredRecord record, long endStart) {
        this.file = file;
        this.local = local;
        this.record = record;
        this.endStart = endStart;
        framesEnd = record.length() - (local.length() - endStart);
    }

    public StoredRecord record() {
        return record;
    }

    @Override
    public String name() {
        return local.name();
    }

    @Override
    public Object identity() {
        return local.identity();
    }

    @Override
    public long length() {
        return record.length();
    }

    @Override
    public void read(long from, byte[] target, int offset, int length) throws IOException {
        if (from < 0 || length > record.length() - from) {
            throw new EOFException(file + " has no " + length + " bytes at " + from);
        }
        int remote = (int) Math.max(0, Math.min(length, framesEnd - from));
        if (remote > 0) {
            object().read(from, target, offset, remote);
        }
        if (remote < length) {
            local.read(endStart + from + remote - framesEnd, target, offset + remote, length - remote);
        }
    }

    private synchronized RangeReader object() throws IOException {
        if (object == null) {
            object = record.openObject(file);
        }
        return object;
    }

    @Override
    public synchronized void close() throws IOException {
        try (local;
                Closeable opened = object) {
            object = null;
        }
    }
}
