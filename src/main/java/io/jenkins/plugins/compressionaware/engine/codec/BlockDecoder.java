package io.jenkins.plugins.compressionaware.engine.codec;

import java.io.Closeable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The inverse of {@link BlockEncoder}, for input that cannot be trusted. Used by one thread at a time. */
@Restricted(NoExternalUse.class)
public interface BlockDecoder extends Closeable {
    /**
     * Fills {@code raw} from its start with exactly {@code rawLength} bytes.
     *
     * @throws CorruptFrameException if the body is damaged, or yields fewer or more bytes
     */
    void decode(byte[] body, int bodyOffset, int bodyLength, byte[] raw, int rawLength) throws CorruptFrameException;

    /** Releases native memory, if any. */
    @Override
    default void close() {}
}
