package io.jenkins.plugins.compressionaware.tar;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * A folder that is nobody else's, to be filled with what is not trusted. What is above a file or link there is a real folder: made here, or
 * found by looking at the disk itself, since there may be more spellings of a name than anyone knows (case, Unicode, short names of
 * Windows). No folder is ever removed, so what was one stays one. Used by one thread.
 */
final class OwnFolder {
    private final Path root;
    /** Below the root, as they were spelled: on some disks of Windows a folder {@code a} and a link {@code A} can be told apart. */
    private final Set<String> folders = new HashSet<>();

    private boolean hasLinks;

    /** Creates one file or link, which must not exist. */
    interface Placing {
        void at(Path path) throws IOException;
    }

    OwnFolder(Path root) {
        this.root = root;
    }

    /**
     * Makes a folder, and those above it, unless they are there.
     *
     * @param name relative, without {@code ..}
     */
    void makeFolder(Path name) throws IOException {
        if (name == null || folders.contains(name.toString())) {
            return;
        }
        Path path = root;
        for (Path part : name) {
            path = path.resolve(part);
            String below = root.relativize(path).toString();
            if (!folders.contains(below)) {
                makeOne(path, below);
                folders.add(below);
            }
        }
    }

    private static void makeOne(Path path, String name) throws IOException {
        try {
            Files.createDirectory(path);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                throw new RefusedException(name + " is no folder but was sent as something else");
            }
        }
    }

    /**
     * Makes the folders above and places a file or link in them, instead of one that is there already.
     *
     * @return whether one was there
     */
    boolean place(Path name, Placing placing) throws IOException {
        makeFolder(name.getParent());
        Path path = root.resolve(name);
        try {
            // nobody promises for Windows that a new file is not made where a dangling link of its name leads
            if (hasLinks && Files.isSymbolicLink(path)) {
                throw new FileAlreadyExistsException(path.toString());
            }
            placing.at(path);
            return false;
        } catch (FileAlreadyExistsException e) {
            if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                throw new RefusedException("another entry has taken its place");
            }
            Files.delete(path);
            placing.at(path);
            return true;
        }
    }

    boolean placeLink(Path name, Path target) throws IOException {
        hasLinks = true;
        return place(name, path -> Files.createSymbolicLink(path, target));
    }
}
