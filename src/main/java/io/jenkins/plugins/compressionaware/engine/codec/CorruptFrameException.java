package io.jenkins.plugins.compressionaware.engine.codec;

import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Thrown when a frame violates the wire format or its checksum. */
@Restricted(NoExternalUse.class)
public final class CorruptFrameException extends IOException {
    private static final long serialVersionUID = 1L;

    public CorruptFrameException(String message) {
        super(message);
    }

    public CorruptFrameException(String message, Throwable cause) {
        super(message, cause);
    }
}
