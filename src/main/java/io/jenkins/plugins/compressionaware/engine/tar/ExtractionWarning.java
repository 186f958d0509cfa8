package io.jenkins.plugins.compressionaware.engine.tar;

import java.io.Serializable;
import java.util.List;
import java.util.stream.Stream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Something did not land as it was sent, because the disk here cannot hold it as it was; core does the same.
 *
 * @param count  number of entries concerned, at least 1
 * @param name   the first of them, as a path in the archive
 * @param reason the system's message about the first; empty if none is needed
 */
@Restricted(NoExternalUse.class)
public record ExtractionWarning(Type kind, int count, String name, String reason) implements Serializable {
    private static final long serialVersionUID = 1;

    public enum Type {
        /** A link that cannot be created, for instance without the privilege for it on Windows. It is left out. */
        SYMLINK_NOT_CREATED,
        /** A non-empty folder stands in the place of a link. It stays, and the link is left out. */
        DIRECTORY_NOT_REPLACED,
        /** A file or link has replaced an earlier one whose name differs only in case or Unicode form. */
        NAME_COLLISION
    }

    /** The warnings of two stages together. */
    public static List<ExtractionWarning> all(List<ExtractionWarning> first, List<ExtractionWarning> then) {
        return then.isEmpty()
                ? first
                : Stream.concat(first.stream(), then.stream()).toList();
    }

    public ExtractionWarning incremented() {
        return new ExtractionWarning(kind, count + 1, name, reason);
    }
}
