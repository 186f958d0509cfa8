package io.jenkins.plugins.compressionaware.tar;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.UUID;

/**
 * A folder beside an archive folder, on the same file system, whose content moves into the archive in one go. Usually that is one rename;
 * where the archive has content already, only the folders that exist on both sides are walked.
 */
public final class StagedTree implements Closeable {
    /** Commits of parallel branches of a build must not change each other's folders between check and move. They are short. */
    private static final Object COMMIT = new Object();

    private final Path archive;
    private final Path folder;

    /**
     * Creates an empty folder.
     *
     * @param archive need not exist; a link to a folder is followed, as core does
     */
    public StagedTree(Path archive) throws IOException {
        if (Files.exists(archive, LinkOption.NOFOLLOW_LINKS) && !Files.isDirectory(archive)) {
            throw new IOException("Cannot archive: " + archive + " is not a folder");
        }
        this.archive = Files.exists(archive) ? archive.toRealPath() : archive.toAbsolutePath();
        folder = Files.createDirectories(
                this.archive.resolveSibling("." + this.archive.getFileName() + "-" + UUID.randomUUID()));
    }

    /** The folder to fill. */
    public Path folder() {
        return folder;
    }

    /**
     * Moves everything into the archive. Files and links of the same name are replaced, others stay.
     *
     * @throws IOException naming what is in the way, before anything has moved
     */
    public void commit() throws IOException {
        synchronized (COMMIT) {
            check(folder, archive);
            move(folder, archive);
        }
    }

    private void check(Path from, Path to) throws IOException {
        if (!Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        boolean folderArrives = isFolder(from);
        if (folderArrives != isFolder(to)) {
            throw new IOException("Cannot archive " + archive.relativize(to) + ": the archive has "
                    + (folderArrives ? "a file or link" : "a folder") + " of this name from an earlier step");
        }
        if (folderArrives) {
            try (DirectoryStream<Path> children = Files.newDirectoryStream(from)) {
                for (Path child : children) {
                    check(child, to.resolve(child.getFileName()));
                }
            }
        }
    }

    private static void move(Path from, Path to) throws IOException {
        if (!isFolder(from) || !Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
            try {
                Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
            } catch (AtomicMoveNotSupportedException e) {
                Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
            }
            return;
        }
        try (DirectoryStream<Path> children = Files.newDirectoryStream(from)) {
            for (Path child : children) {
                move(child, to.resolve(child.getFileName()));
            }
        }
    }

    private static boolean isFolder(Path path) {
        return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** Deletes what has not been committed. */
    @Override
    public void close() throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path dir, IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.delete(dir);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
