package io.jenkins.plugins.compressionaware.engine.tar;

import java.io.IOException;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** An entry is not what was asked for, or would not stay within its folder. */
@Restricted(NoExternalUse.class)
public final class RefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    public RefusedException(String message) {
        super(message);
    }

    static RefusedException ofKind() {
        return new RefusedException("neither a file, a folder nor a symbolic link");
    }
}
