package io.jenkins.plugins.compressionaware.tar;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A folder that nobody else uses, to be filled with untrusted files. Everything above a file or link there is a real folder: made here, or
 * found by looking at the disk itself, since there may be more spellings of a name than anyone knows (case, Unicode, short names of
 * Windows). No folder is ever removed, so a folder stays one. One thread makes folders; any thread may use their content.
 */
final class OwnFolder {
    private final Path root;
    /** Windows does not promise that creating a file never follows a dangling link of that name. */
    private final boolean createsThroughLinks;
    /** The folder asked for last, below the root; null for the root. Others are looked up on the disk again, as there may be very many. */
    private Path current;

    private volatile boolean hasLinks;
    private final Map<LandingWarning.Kind, LandingWarning> warnings = new EnumMap<>(LandingWarning.Kind.class);

    OwnFolder(Path root) {
        this.root = root;
        createsThroughLinks = root.getFileSystem().getSeparator().equals("\\");
    }

    /**
     * Makes a folder, and those above it, unless they exist.
     *
     * @param name relative, without {@code ..}; null for the root
     * @return whether all folders that differ from those of the last call are new; if not, one may have been made under another spelling
     */
    boolean makeFolder(Path name) throws IOException {
        int known = name == null ? 0 : common(name);
        boolean isNew = true;
        if (name != null && known < name.getNameCount()) {
            Path path = known == 0 ? root : root.resolve(name.subpath(0, known));
            for (int i = known; i < name.getNameCount(); i++) {
                path = path.resolve(name.getName(i));
                isNew &= makeOne(path);
            }
        }
        current = name;
        return isNew;
    }

    /** Number of leading names equal to those of the last folder, in spelling too: some Windows disks distinguish a folder {@code a} from a link {@code A}. */
    private int common(Path name) {
        int most = current == null ? 0 : Math.min(current.getNameCount(), name.getNameCount());
        int common = 0;
        while (common < most
                && current.getName(common)
                        .toString()
                        .equals(name.getName(common).toString())) {
            common++;
        }
        return common;
    }

    private boolean makeOne(Path path) throws IOException {
        try {
            Files.createDirectory(path);
            return true;
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                throw new RefusedException(root.relativize(path) + " is no folder but was sent as something else");
            }
            return false;
        }
    }

    /** The path of a file to create in a folder that was made. */
    Path place(Path name) throws IOException {
        Path path = root.resolve(name);
        if (createsThroughLinks && hasLinks && Files.isSymbolicLink(path)) {
            throw new FileAlreadyExistsException(path.toString());
        }
        return path;
    }

    Path path(Path name) {
        return root.resolve(name);
    }

    /** Removes a file or link whose name is the same on this disk as that of another entry. */
    void makeRoom(Path name) throws IOException {
        remove(name);
        warn(LandingWarning.Kind.NAME_TAKEN, name, "");
    }

    void remove(Path name) throws IOException {
        Path path = root.resolve(name);
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new RefusedException("another entry has taken its place");
        }
        Files.delete(path);
    }

    /** Creates a link in a folder that was made. */
    void placeLink(Path name, Path target) throws IOException {
        hasLinks = true;
        try {
            Files.createSymbolicLink(root.resolve(name), target);
        } catch (FileAlreadyExistsException e) {
            remove(name);
            Files.createSymbolicLink(root.resolve(name), target);
            warn(LandingWarning.Kind.NAME_TAKEN, name, "");
        }
    }

    void warn(LandingWarning.Kind kind, Path name, String reason) {
        synchronized (warnings) {
            warnings.merge(
                    kind, new LandingWarning(kind, 1, name.toString(), reason), (first, other) -> first.oneMore());
        }
    }

    /** At most one of each kind. */
    List<LandingWarning> warnings() {
        synchronized (warnings) {
            return List.copyOf(warnings.values());
        }
    }
}
