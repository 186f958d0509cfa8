package io.jenkins.plugins.compressionaware.engine.framefile;

import java.io.Closeable;
import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** An open file, or an open object elsewhere, whose bytes are read by position. Thread-safe. */
@Restricted(NoExternalUse.class)
public interface RangeReader extends Closeable {
    /** Returns a name for messages. */
    String name();

    /** Returns an object that equals the identity of another reader only if both read the same bytes. */
    default Object identity() {
        return this;
    }

    /** Returns the length in bytes. */
    long length();

    /**
     * Reads exactly {@code length} bytes, starting at {@code from}.
     *
     * @throws java.io.EOFException if there are not as many
     */
    void read(long from, byte[] target, int offset, int length) throws IOException;

    /** Returns exactly {@code length} bytes, starting at {@code from}. */
    default byte[] read(long from, int length) throws IOException {
        byte[] bytes = new byte[length];
        read(from, bytes, 0, length);
        return bytes;
    }
}
