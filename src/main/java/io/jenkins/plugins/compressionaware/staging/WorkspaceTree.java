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
import java.util.HashMap;
import java.util.Map;
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

    /** Core's own switch, which is for either kind of machine. */
    private static final String FOLLOW_LINKS = "hudson.FilePath.ALLOW_UNTAR_SYMLINK_RESOLUTION";

    /** One after another: as many as Linux follows. */
    private static final int MAX_LINKS = 40;

    private final Path target;
    private final Path folder;
    private final boolean followLinks;
    /** By what is put together here: where links lead that were there before anything moved. */
    private final Map<Path, Path> throughLinks = new HashMap<>();

    /**
     * @param target      is made if it does not exist
     * @param followLinks whether core writes through links of the target on such a machine, unless it is told otherwise there
     */
    public WorkspaceTree(Path target, boolean followLinks) throws IOException {
        this.target = target;
        String told = System.getProperty(FOLLOW_LINKS);
        this.followLinks = told == null ? followLinks : Boolean.parseBoolean(told);
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
     * Moves everything to its name. Files and links of the same name are replaced, others stay. If links are followed, then those that were there before:
     * where they lead is known before the first move, so that no link that comes now is ever written through.
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
                if (link && followLinks && !Files.isSymbolicLink(child)) {
                    there = endOf(there, MAX_LINKS);
                    throughLinks.put(child, there);
                    link = false;
                }
                boolean isFolder = Files.isDirectory(there, LinkOption.NOFOLLOW_LINKS);
                if (Files.isDirectory(child, LinkOption.NOFOLLOW_LINKS)) {
                    if (link) {
                        throw inTheWay(there, "a link, and nothing is written through links");
                    } else if (isFolder) {
                        check(child, there);
                    } else if (Files.exists(there, LinkOption.NOFOLLOW_LINKS) || throughLinks.containsKey(child)) {
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

    /** Where a link leads: no part of that path is a link. There need not be anything, but for the folder above. */
    private Path endOf(Path link, int linksLeft) throws IOException {
        if (Files.exists(link)) {
            return link.toRealPath();
        } else if (!Files.isSymbolicLink(link)) {
            return link;
        }
        Path next = link.resolveSibling(Files.readSymbolicLink(link));
        Path parent = next.getParent();
        if (linksLeft == 0 || parent == null || !Files.isDirectory(parent)) {
            throw inTheWay(link, "a link that leads nowhere");
        }
        return endOf(parent.toRealPath().resolve(next.getFileName()), linksLeft - 1);
    }

    private IOException inTheWay(Path path, String what) {
        return new IOException((path.startsWith(target) ? target.relativize(path) : path) + " is " + what);
    }

    private void move(Path from, Path to) throws IOException {
        try (DirectoryStream<Path> children = Files.newDirectoryStream(from)) {
            for (Path child : children) {
                Path there = throughLinks.getOrDefault(child, to.resolve(child.getFileName()));
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
