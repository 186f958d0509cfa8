package io.jenkins.plugins.compressionaware.staging;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Finds where links lead. */
final class LinkEnd {
    /** Links in a row: as many as Linux follows. */
    private static final int MAX_LINKS = 40;

    private LinkEnd() {}

    /**
     * The path where a link leads, in which nothing is a link. Its folder exists; the path itself need not.
     *
     * @return null if the link leads nowhere
     */
    @CheckForNull
    static Path of(Path link) throws IOException {
        Path path = link;
        for (int left = MAX_LINKS; left >= 0; left--) {
            if (Files.exists(path)) {
                return path.toRealPath();
            } else if (!Files.isSymbolicLink(path)) {
                return path;
            }
            Path next = path.resolveSibling(Files.readSymbolicLink(path));
            Path folder = next.getParent();
            if (folder == null || !Files.isDirectory(folder)) {
                return null;
            }
            path = folder.toRealPath().resolve(next.getFileName());
        }
        return null;
    }
}
