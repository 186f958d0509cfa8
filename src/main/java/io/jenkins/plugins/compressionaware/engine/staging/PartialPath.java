package io.jenkins.plugins.compressionaware.engine.staging;

import java.nio.file.Path;
import java.util.UUID;
import java.util.regex.Pattern;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The path of a file or folder that is assembled next to its destination. The name marks it as incomplete, for the case of a crash. */
@Restricted(NoExternalUse.class)
public final class PartialPath {
    private static final String SUFFIX = ".partial";

    private static final Pattern NAME =
            Pattern.compile("\\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}" + Pattern.quote(SUFFIX));

    private PartialPath() {}

    public static Path create(Path folder) {
        return folder.resolve("." + UUID.randomUUID() + SUFFIX);
    }

    static boolean is(Path path) {
        Path name = path.getFileName();
        return name != null && NAME.matcher(name.toString()).matches();
    }
}
