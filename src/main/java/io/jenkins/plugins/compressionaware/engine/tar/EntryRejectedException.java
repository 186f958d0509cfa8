package io.jenkins.plugins.compressionaware.engine.tar;

import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Thrown when a tar entry was not requested, has an unsupported type, or would be written outside its folder. */
@Restricted(NoExternalUse.class)
public final class EntryRejectedException extends IOException {
    private static final long serialVersionUID = 1L;

    public EntryRejectedException(String message) {
        super(message);
    }

    static EntryRejectedException unsupportedType() {
        return new EntryRejectedException("neither a file, a folder nor a symbolic link");
    }
}
