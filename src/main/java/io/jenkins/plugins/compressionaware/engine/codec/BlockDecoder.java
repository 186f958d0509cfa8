package io.jenkins.plugins.compressionaware.engine.codec;

import java.io.Closeable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Decodes blocks from frame bodies, which are not trusted. Used by one thread at a time. */
@Restricted(NoExternalUse.class)
public interface BlockDecoder extends Closeable {
    /**
     * Decodes a body into the first {@code rawLength} bytes of {@code raw}.
     *
     * @throws CorruptFrameException if the body is damaged or decodes to another length
     */
    void decode(byte[] body, int bodyOffset, int bodyLength, byte[] raw, int rawLength) throws CorruptFrameException;

    /** Releases native memory, if any. */
    @Override
    default void close() {}
}
