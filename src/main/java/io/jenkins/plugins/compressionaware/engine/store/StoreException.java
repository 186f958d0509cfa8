package io.jenkins.plugins.compressionaware.engine.store;

import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Thrown when a request to the store fails. The message is a sentence for the build log. */
@Restricted(NoExternalUse.class)
public final class StoreException extends IOException {
    private static final long serialVersionUID = 1L;

    private final StoreFailure failure;

    StoreException(StoreFailure failure, String message, Throwable cause) {
        super(message, cause);
        this.failure = failure;
    }

    public StoreFailure failure() {
        return failure;
    }
}
