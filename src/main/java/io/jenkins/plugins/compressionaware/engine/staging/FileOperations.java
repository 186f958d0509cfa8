package io.jenkins.plugins.compressionaware.engine.staging;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/** File system operations that tests can replace to let them fail, and a few queries. Links are not followed. */
class FileOperations {
    /** Total time to retry a rename that other processes prevent, such as virus scanners on Windows, milliseconds. */
    static final long RETRY_MILLIS = 10_000;

    /** Renames atomically, and replaces an existing file or link. */
    void rename(Path from, Path to) throws IOException {
        // with ATOMIC_MOVE alone, the file system decides whether to replace
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /**
     * Renames like {@link #rename(Path, Path)}, and recognizes a rename whose reply is lost: an NFS client then repeats the request, and the server no longer
     * has the file.
     *
     * @param attributes of the file before; null to recognize nothing
     */
    final void rename(Path from, Path to, @CheckForNull BasicFileAttributes attributes) throws IOException {
        try {
            rename(from, to);
        } catch (NoSuchFileException e) {
            Object key = attributes == null ? null : attributes.fileKey();
            BasicFileAttributes renamed = attributes(to);
            if (key == null || renamed == null || !key.equals(renamed.fileKey())) {
                throw e;
            }
        }
    }

    /** Deletes a file, a link or an empty folder, if it exists. */
    void delete(Path path) throws IOException {
        Files.deleteIfExists(path);
    }

    void pause(long millis) throws InterruptedException {
        Thread.sleep(millis);
    }

    /**
     * Deletes a file, or a folder with its content, as far as possible. Keeps only one folder open, at any depth.
     *
     * @param path need not exist
     * @throws IOException about the first path that cannot be deleted
     */
    final void deleteRecursively(Path path) throws IOException {
        IOException first = null;
        List<Path> folders = new ArrayList<>();
        if (isFolder(path)) {
            // delete while listing, because there may be very many files
            try (DirectoryStream<Path> children = Files.newDirectoryStream(path)) {
                for (Path child : children) {
                    if (isFolder(child)) {
                        folders.add(child);
                        continue;
                    }
                    try {
                        delete(child);
                    } catch (IOException e) {
                        first = first == null ? e : first;
                    }
                }
            } catch (NoSuchFileException e) {
                // another process has deleted the folder
                return;
            } catch (DirectoryIteratorException e) {
                first = first == null ? e.getCause() : first;
            } catch (IOException e) {
                first = first == null ? e : first;
            }
        }
        for (Path folder : folders) {
            try {
                deleteRecursively(folder);
            } catch (IOException e) {
                first = first == null ? e : first;
            }
        }
        try {
            delete(path);
        } catch (IOException e) {
            first = first == null ? e : first;
        }
        if (first != null) {
            throw first;
        }
    }

    static boolean isFolder(Path path) {
        return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** Returns the attributes; null if the path does not exist. */
    static BasicFileAttributes attributes(Path path) throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Returns whether a folder contains anything but folders, at any depth. Also returns true if this cannot be determined. */
    static boolean containsFiles(Path folder) {
        if (!isFolder(folder)) {
            return false;
        }
        try {
            for (Path child : list(folder)) {
                if (!isFolder(child) || containsFiles(child)) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /**
     * Moves a file to another disk that is mounted at the destination. The file gets its name only after it is complete.
     *
     * @param name of the incomplete file; the same after a crash, so that a repeated move replaces what the first has left
     */
    final void copyAndDelete(Path file, Path target, Path name) throws IOException {
        Path partial = target.resolveSibling(name);
        try {
            Files.copy(
                    file,
                    partial,
                    StandardCopyOption.COPY_ATTRIBUTES,
                    StandardCopyOption.REPLACE_EXISTING,
                    LinkOption.NOFOLLOW_LINKS);
            rename(partial, target, attributes(partial));
        } finally {
            PartialPath.discard(partial);
        }
        delete(file);
    }

    /** Lists a folder and closes it, so that a walk keeps no descriptors open, at any depth. */
    static List<Path> list(Path folder) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> children = Files.newDirectoryStream(folder)) {
            for (Path child : children) {
                found.add(child);
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return found;
    }
}
