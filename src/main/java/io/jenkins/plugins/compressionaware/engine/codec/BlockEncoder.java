package io.jenkins.plugins.compressionaware.engine.codec;

import java.io.Closeable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Compresses each block independently. Used by one thread at a time. */
@Restricted(NoExternalUse.class)
public interface BlockEncoder extends Closeable {
    /** Returns the maximum length in bytes of the body of a block of {@code rawLength} bytes. */
    int maxEncodedLength(int rawLength);

    /**
     * Compresses a block into the body of a frame: for gzip, the rest of a member after its header; otherwise, a frame in the codec's own format.
     *
     * @param target has at least {@link #maxEncodedLength} bytes from {@code targetOffset}
     * @return length of the body in bytes
     */
    int encode(byte[] raw, int rawLength, byte[] target, int targetOffset);

    /** Releases native memory, if any. */
    @Override
    default void close() {}
}
