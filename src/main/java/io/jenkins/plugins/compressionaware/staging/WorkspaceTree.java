package io.jenkins.plugins.compressionaware.staging;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.UUID;

/**
 * Files for a folder that others use, such as a workspace. They are put together in a folder of their own within it, on the same disk, and get their
 * names when all of them are there: a file of that folder is as before or as after, at any time. Used by one thread.
 */
public final class WorkspaceTree implements Closeable {
    private static final String PREFIX = ".unstash-";

    /** Of such a folder's name. */
    private static final int NAME_LENGTH = PREFIX.length() + 36;

    /** One that has not changed for so long is of a process that has died, milliseconds: no one tells whether another process uses it. */
    private static final long ABANDONED = 24L * 60 * 60 * 1000;

    private final Path target;
    private final Path folder;

    /**
     * @param target is made if it does not exist
     */
    public WorkspaceTree(Path target) throws IOException {
        this.target = target;
        folder = target.resolve(PREFIX + UUID.randomUUID());
        Files.createDirectories(folder);
        try {
            deleteAbandoned();
        } catch (IOException | DirectoryIteratorException e) {
            // not what was asked for: the next one tries again
        }
    }

    private void deleteAbandoned() throws IOException {
        try (DirectoryStream<Path> children = Files.newDirectoryStream(target)) {
            for (Path child : children) {
                String name = target.relativize(child).toString();
                if (name.startsWith(PREFIX)
                        && name.length() == NAME_LENGTH
                        && Files.isDirectory(child, LinkOption.NOFOLLOW_LINKS)
                        && System.currentTimeMillis() - child.toFile().lastModified() > ABANDONED) {
                    delete(child);
                }
            }
        }
    }

    /** The folder to fill. */
    public Path folder() {
        return folder;
    }

    /**
     * Moves everything to its name. Files and links of the same name are replaced, others stay.
     *
     * @throws IOException naming what is in the way; nothing has been moved then, unless the disk itself fails
     */
    public void commit() throws IOException {
        check(folder, target);
        move(folder, target);
    }

    private void check(Path from, Path to) throws IOException {
        try (DirectoryStream<Path> children = Files.newDirectoryStream(from)) {
            for (Path child : children) {
                Path there = to.resolve(child.getFileName());
                boolean link = Files.isSymbolicLink(there);
                boolean isFolder = Files.isDirectory(there, LinkOption.NOFOLLOW_LINKS);
                if (Files.isDirectory(child, LinkOption.NOFOLLOW_LINKS)) {
                    if (link) {
                        throw inTheWay(there, "a link, and nothing is written through links");
                    } else if (isFolder) {
                        check(child, there);
                    } else if (Files.exists(there, LinkOption.NOFOLLOW_LINKS)) {
                        throw inTheWay(there, "a file in the place of a folder");
                    }
                } else if (isFolder) {
                    throw inTheWay(there, "a folder in the place of a file");
                } else if (link && !Files.isSymbolicLink(child)) {
                    throw inTheWay(there, "a link, and nothing is written through links");
                }
            }
        }
    }

    private IOException inTheWay(Path path, String what) {
        return new IOException(target.relativize(path) + " is " + what);
    }

    private void move(Path from, Path to) throws IOException {
        try (DirectoryStream<Path> children = Files.newDirectoryStream(from)) {
            for (Path child : children) {
                Path there = to.resolve(child.getFileName());
                boolean isFolder = Files.isDirectory(child, LinkOption.NOFOLLOW_LINKS);
                if (isFolder && Files.isDirectory(there, LinkOption.NOFOLLOW_LINKS)) {
                    move(child, there);
                } else {
                    moveOne(child, there, isFolder);
                }
            }
        }
    }

    private void moveOne(Path from, Path to, boolean isFolder) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException e) {
            // another disk is mounted there
            if (isFolder) {
                Files.createDirectory(to);
                move(from, to);
            } else {
                Path beside = to.resolveSibling(PREFIX + UUID.randomUUID());
                Files.copy(from, beside, StandardCopyOption.COPY_ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
                Files.move(beside, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    /** Removes what was not moved. */
    @Override
    public void close() throws IOException {
        delete(folder);
    }

    /** On an agent that is fresh each class costs: so neither a visitor nor a stream. */
    private static void delete(Path folder) throws IOException {
        try (DirectoryStream<Path> children = Files.newDirectoryStream(folder)) {
            for (Path child : children) {
                if (Files.isDirectory(child, LinkOption.NOFOLLOW_LINKS)) {
                    delete(child);
                } else {
                    Files.deleteIfExists(child);
                }
            }
        } catch (NoSuchFileException e) {
            // whoever cleans the workspace was faster
        }
        Files.deleteIfExists(folder);
    }
}
