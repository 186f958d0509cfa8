package io.jenkins.plugins.compressionaware.engine.tar;

import java.io.Serializable;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * An entry could not be extracted exactly as sent, because this file system does not support it.
 *
 * @param count  number of affected entries, at least 1
 * @param name   path of the first affected entry in the archive
 * @param reason message of the operating system about the first entry; empty if there is none
 */
@Restricted(NoExternalUse.class)
public record ExtractionWarning(Type type, int count, String name, String reason) implements Serializable {
    public enum Type {
        /** A symbolic link was skipped, because it could not be created. On Windows, for example, the privilege may be missing. */
        SYMLINK_NOT_CREATED,
        /** A symbolic link was skipped, because a non-empty folder has its name. */
        DIRECTORY_NOT_REPLACED,
        /** A file or link replaced another whose name differs only in case or Unicode form. */
        NAME_COLLISION,
        /** The permissions or the time of a file could not be set. Its content is complete. */
        ATTRIBUTES_NOT_SET
    }

    /** Returns this warning with a count from 1 to a maximum, because the count may be an agent's. */
    public ExtractionWarning limited(int max) {
        return new ExtractionWarning(type, Math.max(1, Math.min(count, max)), name, reason);
    }

    public ExtractionWarning incremented() {
        return new ExtractionWarning(type, count + 1, name, reason);
    }
}
