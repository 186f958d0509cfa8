package io.jenkins.plugins.compressionaware.tar;

import java.io.Serializable;
import java.util.List;
import java.util.stream.Stream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Something landed otherwise than it was sent, because the disk here cannot hold it as it was; core does the same.
 *
 * @param count  how many entries this is about, at least 1
 * @param name   the first of them, as a path in the archive
 * @param reason what the system said about the first; empty if nothing needs to be said
 */
@Restricted(NoExternalUse.class)
public record LandingWarning(Kind kind, int count, String name, String reason) implements Serializable {
    private static final long serialVersionUID = 1;

    public enum Kind {
        /** A link that cannot be created, for instance without the privilege for it on Windows. It is left out. */
        LINK_LEFT_OUT,
        /** A folder with content is in the place of a link. It stays, and the link is left out. */
        FOLDER_KEPT,
        /** A file or link whose name is, but for case or Unicode form, that of an earlier one. It has replaced that one. */
        NAME_TAKEN
    }

    /** The warnings of two stages together. */
    public static List<LandingWarning> all(List<LandingWarning> first, List<LandingWarning> then) {
        return then.isEmpty()
                ? first
                : Stream.concat(first.stream(), then.stream()).toList();
    }

    public LandingWarning oneMore() {
        return new LandingWarning(kind, count + 1, name, reason);
    }
}
