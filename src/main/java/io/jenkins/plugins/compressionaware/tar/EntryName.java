package io.jenkins.plugins.compressionaware.tar;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Names of tar entries as paths that cannot leave the folder they are resolved against. */
final class EntryName {
    private EntryName() {}

    /**
     * The path an entry name stands for.
     *
     * @param folder folder to resolve it against, whose file system decides which names are valid
     * @return a relative path without {@code ..}, never empty
     * @throws IOException that names the entry, if there is no such path
     */
    static Path toPath(Path folder, String name) throws IOException {
        Path path;
        try {
            // tar writers drop leading slashes; core also resolves such a name inside the archive
            path = folder.getFileSystem().getPath(TarHeader.relative(name)).normalize();
        } catch (InvalidPathException e) {
            throw new IOException("Refused " + name + ": not a valid file name on this machine", e);
        }
        if (path.isAbsolute()
                || path.getRoot() != null
                || path.startsWith("..")
                || path.toString().isEmpty()) {
            throw new IOException("Refused " + name + ": it leaves the archive folder");
        }
        return path;
    }
}
