package io.jenkins.plugins.compressionaware.engine.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.jenkins.plugins.compressionaware.engine.framefile.RangeReader;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** An object that is read by position, on the controller. Reads in sequence share a request, which becomes longer as they go on. Thread-safe. */
@Restricted(NoExternalUse.class)
public final class StoredObject implements RangeReader {
    /** Maximum length of a request, bytes. */
    private static final int MAX_AHEAD = 8 << 20;

    private final String name;
    private final ObjectReader object;

    @GuardedBy("this")
    private InputStream in = InputStream.nullInputStream();

    /** Where the stream is. */
    @GuardedBy("this")
    private long position;

    @GuardedBy("this")
    private long end;

    @GuardedBy("this")
    private int ahead;

    /** @param name for messages */
    public StoredObject(String name, ObjectReader object) {
        this.name = name;
        this.object = object;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long length() {
        return object.length();
    }

    @Override
    public synchronized void read(long from, byte[] target, int offset, int length) throws IOException {
        if (from < 0 || length > object.length() - from) {
            throw new EOFException(name + " has no " + length + " bytes at " + from);
        }
        for (int done = 0; done < length; ) {
            if (from + done != position || position == end) {
                open(from + done, length - done);
            }
            int n = in.read(target, offset + done, (int) Math.min(length - done, end - position));
            if (n < 0) {
                throw new EOFException(name + " is cut short");
            }
            position += n;
            done += n;
        }
    }

    @GuardedBy("this")
    private void open(long from, int needed) throws IOException {
        in.close();
        ahead = from == position ? Math.min(2 * Math.max(ahead, needed), MAX_AHEAD) : 0;
        position = from;
        end = Math.min(object.length(), from + Math.max(ahead, needed));
        in = object.open(from, end - from);
    }

    @Override
    public synchronized void close() throws IOException {
        in.close();
        end = position;
    }
}
