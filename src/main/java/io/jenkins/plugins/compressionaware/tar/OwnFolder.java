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
 * A folder that is nobody else's, to be filled with untrusted files. Everything above a file or link there is a real folder: made here, or
 * found by looking at the disk itself, since there may be more spellings of a name than anyone knows (case, Unicode, short names of
 * Windows). No folder is ever removed, so what was one stays one. One thread makes folders; any may use what is in them.
 */
final class OwnFolder {
    private final Path root;
    /** On Windows nobody promises that a new file is not made where a dangling link of its name leads. */
    private final boolean createsThroughLinks;
    /** The folder asked for last, below the root; null for the root. Others are found on the disk again: they may be very many. */
    private Path current;

    private volatile boolean hasLinks;
    private final Map<LandingWarning.Kind, LandingWarning> warnings = new EnumMap<>(LandingWarning.Kind.class);

    OwnFolder(Path root) {
        this.root = root;
        createsThroughLinks = root.getFileSystem().getSeparator().equals("\\");
    }

    /**
     * Makes a folder, and those above it, unless they are there.
     *
     * @param name relative, without {@code ..}; null for the root
     * @return whether all that was not asked for by the last call is new: if not, it may be the folder of another spelling
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

    /** How many names both begin with, as they were spelled: on some disks of Windows a folder {@code a} and a link {@code A} can be told apart. */
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

    /** The path of a file to create, whose folder was made. */
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

    /** Removes a file or link, which has one name with that of another entry on this disk. */
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

    /** Creates a link, whose folder was made. */
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
