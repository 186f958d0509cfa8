package io.jenkins.plugins.compressionaware.engine.staging;

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
import java.util.Objects;

/** File system operations that may fail, which tests can replace, and a few queries. Links are not followed. */
class FileOperations {
    /** Atomic; replaces a file or link that is there. */
    void rename(Path from, Path to) throws IOException {
        // with ATOMIC_MOVE alone, the file system would decide what is replaced
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Deletes a file, a link or an empty folder, which need not exist. */
    void delete(Path path) throws IOException {
        Files.deleteIfExists(path);
    }

    void pause(long millis) throws InterruptedException {
        Thread.sleep(millis);
    }

    /**
     * Deletes a file, or a folder with its content, as far as possible. Only one folder is open at a time, at any depth.
     *
     * @param path need not exist
     * @throws IOException about the first thing that cannot be deleted
     */
    final void deleteRecursively(Path path) throws IOException {
        IOException first = null;
        List<Path> folders = new ArrayList<>();
        if (isFolder(path)) {
            // not listed first: there may be any number of files
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
                // somebody else has deleted it
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

    /** Null if nothing is there. */
    static BasicFileAttributes attributes(Path path) throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Whether a folder contains anything but folders, at any depth; also true if that cannot be found out. */
    static boolean containsFiles(Path folder) {
        if (!isFolder(folder)) {
            return false;
        }
        List<Path> folders = new ArrayList<>();
        try (DirectoryStream<Path> children = Files.newDirectoryStream(folder)) {
            for (Path child : children) {
                if (!isFolder(child)) {
                    return true;
                }
                folders.add(child);
            }
        } catch (IOException | DirectoryIteratorException e) {
            return true;
        }
        for (Path each : folders) {
            if (containsFiles(each)) {
                return true;
            }
        }
        return false;
    }

    /** Moves a file to another disk that is mounted there: it gets its name only when it is whole. */
    final void copyAndDelete(Path file, Path there) throws IOException {
        Path beside = PartialPath.create(Objects.requireNonNull(there.getParent()));
        try {
            Files.copy(file, beside, StandardCopyOption.COPY_ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
            rename(beside, there);
        } finally {
            delete(beside);
        }
        delete(file);
    }

    /** Lists a folder and closes it, so that a walk of any depth keeps no descriptors. */
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
