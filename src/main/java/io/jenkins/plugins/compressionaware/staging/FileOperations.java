package io.jenkins.plugins.compressionaware.staging;

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

/** Operations of the file system that may fail, each of which a test can replace, and a few questions. Does not follow links. */
class FileOperations {
    /** At once, and instead of a file or link that is there. */
    void rename(Path from, Path to) throws IOException {
        // what is replaced is up to the file system if only the first is asked for
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** A file, a link or an empty folder, which need not exist. */
    void delete(Path path) throws IOException {
        Files.deleteIfExists(path);
    }

    void pause(long millis) throws InterruptedException {
        Thread.sleep(millis);
    }

    /**
     * Deletes a file, or a folder with all that is in it, as much as can be. One folder is open at a time, however deep they are.
     *
     * @param path need not exist
     * @throws IOException about the first thing that cannot be deleted
     */
    final void deleteAll(Path path) throws IOException {
        IOException first = null;
        List<Path> folders = new ArrayList<>();
        if (isFolder(path)) {
            // not listed first: of files there may be any number
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
                // whoever cleans up was faster
                return;
            } catch (DirectoryIteratorException e) {
                first = first == null ? e.getCause() : first;
            } catch (IOException e) {
                first = first == null ? e : first;
            }
        }
        for (Path folder : folders) {
            try {
                deleteAll(folder);
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

    /** Null if there is nothing. */
    static BasicFileAttributes attributes(Path path) throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    /** Whether there is anything but folders in a folder, or it cannot be looked at. */
    static boolean holdsFiles(Path folder) {
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
            if (holdsFiles(each)) {
                return true;
            }
        }
        return false;
    }

    /** Moves a file to where another disk is mounted: under its name it is whole or not there. */
    final void copyAndDelete(Path file, Path there) throws IOException {
        Path beside = PartialPath.in(Objects.requireNonNull(there.getParent()));
        try {
            Files.copy(file, beside, StandardCopyOption.COPY_ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
            rename(beside, there);
        } finally {
            delete(beside);
        }
        delete(file);
    }

    /** What is in a folder, which is not open afterwards: in however many one lies, no descriptor is kept for them. */
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
