package io.jenkins.plugins.compressionaware.engine.staging;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import io.jenkins.plugins.compressionaware.engine.tar.ExtractionWarning;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;

/**
 * Merges a folder into an archive that other threads or processes may be modifying: renames each file and new folder, and never writes through a link. Failed
 * renames are retried for ten seconds in total, because on Windows a virus scanner or a download may hold a file; moves are never rolled back. Used once, by
 * one thread; an interrupt stops only waiting, so that the archive is as complete as possible.
 */
final class TreeMerge {
    /**
     * Milliseconds of retry time that are left when a folder is moved file by file, because it cannot be moved as a whole. Only Windows waits for that:
     * elsewhere an open file does not prevent the move.
     */
    private static final long MERGE_FILES_BELOW_MILLIS = FileOperations.RETRY_MILLIS / 2;

    private static final long MAX_PAUSE_MILLIS = 500;

    /** The first names of a long list, and the number of the others, for a message. */
    private static final class NameSummary {
        private static final int MAX_NAMES = 20;

        private final List<String> names = new ArrayList<>();
        private int count;

        void add(String name) {
            if (count++ < MAX_NAMES) {
                names.add(name);
            }
        }

        @Override
        public String toString() {
            String first = String.join(", ", names);
            return count > names.size() ? first + " and " + (count - names.size()) + " more" : first;
        }
    }

    private final Path from;
    private final Path to;
    private final FileOperations files;
    private final Runnable begun;
    private final boolean windows;
    private final NameSummary moved = new NameSummary();
    private NameSummary missing = new NameSummary();
    private IOException failure;
    private boolean isTransient;
    private ExtractionWarning folderKept;
    private long retryMillisLeft = FileOperations.RETRY_MILLIS;

    /** @param begun called before files are moved one by one, after all checks; not called if one rename moves all */
    TreeMerge(Path from, Path to, FileOperations files, Runnable begun) {
        this.from = from;
        this.to = to;
        this.files = files;
        this.begun = begun;
        // Jimfs can imitate Windows
        windows = to.getFileSystem().getSeparator().equals("\\");
    }

    /**
     * Merges the folder.
     *
     * @param lock held while files are moved, not between two attempts
     * @return extraction warnings
     * @throws IOException that names the conflict, with nothing moved; or the files that were moved and those that are missing
     * @throws InterruptedException if interrupted while waiting; names the files that were moved and those that are missing
     */
    List<ExtractionWarning> run(Lock lock) throws IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            if (FileOperations.isFolder(to)) {
                check(from, to);
            }
            moveAll();
        } finally {
            lock.unlock();
        }
        for (long pause = 10; failure != null; pause = Math.min(2 * pause, MAX_PAUSE_MILLIS)) {
            if (!isTransient || retryMillisLeft <= 0) {
                throw new IOException(
                        missing.names.get(0) + " could not be moved: " + reason(failure) + progressText(), failure);
            }
            try {
                files.pause(pause);
                lock.lockInterruptibly();
            } catch (InterruptedException e) {
                throw Tasks.interrupted("Interrupted" + progressText(), failure);
            }
            try {
                retryMillisLeft -= pause;
                moveAll();
            } finally {
                lock.unlock();
            }
        }
        return folderKept == null ? List.of() : List.of(folderKept);
    }

    private void moveAll() {
        missing = new NameSummary();
        failure = null;
        isTransient = true;
        try {
            move(from, to, FileOperations.attributes(from));
        } catch (IOException e) {
            failed(from, e);
        }
        // some disks do not list all files of a folder while files are moved out of it
        if (failure == null && FileOperations.containsFiles(from)) {
            failed(from, new FileSystemException(null, null, "the disk did not list all of it"));
        }
    }

    private void check(Path folder, Path target) throws IOException {
        Map<Path, Path> folders = new HashMap<>();
        try (DirectoryStream<Path> children = Files.newDirectoryStream(folder)) {
            for (Path child : children) {
                Path place = target.resolve(child.getFileName());
                BasicFileAttributes existing = FileOperations.attributes(place);
                BasicFileAttributes attributes = existing == null ? null : FileOperations.attributes(child);
                if (attributes == null || attributes.isSymbolicLink()) {
                    continue;
                }
                boolean isFolder = attributes.isDirectory();
                if (existing.isSymbolicLink()) {
                    if (isFolder) {
                        throw conflict(place, "a link, and nothing is written through links");
                    }
                } else if (isFolder != existing.isDirectory()) {
                    throw conflict(place, isFolder ? "a file in the way of a folder" : "a folder in the way of a file");
                } else if (isFolder) {
                    folders.put(child, place);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        for (Map.Entry<Path, Path> each : folders.entrySet()) {
            check(each.getKey(), each.getValue());
        }
    }

    private IOException conflict(Path path, String reason) {
        return new IOException(to.relativize(path) + " is " + reason);
    }

    private void move(Path path, Path target, @CheckForNull BasicFileAttributes attributes) {
        try {
            if (attributes != null && attributes.isDirectory()) {
                moveFolder(path, target, attributes);
            } else {
                moveFile(path, target, attributes);
            }
        } catch (IOException e) {
            failed(path, e);
        }
    }

    private void failed(Path path, IOException e) {
        isTransient &= isTransient(e);
        if (failure == null) {
            failure = e;
        }
        missing.add(name(path));
    }

    private void moveFolder(Path folder, Path target, BasicFileAttributes attributes) throws IOException {
        BasicFileAttributes existing = FileOperations.attributes(target);
        if (existing == null) {
            try {
                rename(folder, target, attributes);
                moved.add(name(folder));
                return;
            } catch (FileSystemException e) {
                createFolder(target, e);
            }
        } else if (!existing.isDirectory()) {
            throw conflict(target, "a file in the way of a folder");
        }
        if (folder.equals(from)) {
            begun.run();
        }
        Map<Path, BasicFileAttributes> folders = new LinkedHashMap<>();
        try (DirectoryStream<Path> children = Files.newDirectoryStream(folder)) {
            for (Path child : children) {
                BasicFileAttributes each = FileOperations.attributes(child);
                if (each != null && each.isDirectory()) {
                    folders.put(child, each);
                } else {
                    move(child, target.resolve(child.getFileName()), each);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        for (Map.Entry<Path, BasicFileAttributes> each : folders.entrySet()) {
            move(each.getKey(), target.resolve(each.getKey().getFileName()), each.getValue());
        }
        try {
            files.delete(folder);
        } catch (IOException e) {
            // the folder has a file that could not be moved, or is in use: the staged archive deletes it later
        }
    }

    /**
     * Creates the target folder if its files are to be moved one by one. Throws {@code failed} if there is no such folder.
     *
     * @param failed why the folder could not be moved as a whole: the target exists, is on another disk, or a file is in use
     */
    private void createFolder(Path folder, FileSystemException failed) throws IOException {
        if (failed instanceof AtomicMoveNotSupportedException
                || isTransient(failed) && (!windows || retryMillisLeft <= MERGE_FILES_BELOW_MILLIS)) {
            try {
                Files.createDirectory(folder);
            } catch (FileAlreadyExistsException e) {
                failed.addSuppressed(e);
            }
        }
        if (!FileOperations.isFolder(folder)) {
            throw failed;
        }
    }

    private void moveFile(Path file, Path target, @CheckForNull BasicFileAttributes attributes) throws IOException {
        try {
            rename(file, target, attributes);
        } catch (AtomicMoveNotSupportedException e) {
            files.copyAndDelete(file, target, from.getFileName());
        } catch (FileSystemException e) {
            // the second check follows links, because Windows does not replace a link to a folder
            if (!FileOperations.isFolder(target) && !(windows && Files.isDirectory(target))) {
                throw e;
            } else if (!replaceFolder(file, target)) {
                return;
            }
        }
        moved.add(name(file));
    }

    private void rename(Path path, Path target, @CheckForNull BasicFileAttributes attributes) throws IOException {
        try {
            files.rename(path, target, attributes);
        } catch (NoSuchFileException e) {
            // another transfer has just replaced the empty folder above
            files.rename(path, target, attributes);
        }
    }

    /** Replaces an empty folder with a link, as core does. Otherwise deletes the link, warns and returns false. */
    private boolean replaceFolder(Path file, Path folder) throws IOException {
        if (!Files.isSymbolicLink(file) && FileOperations.isFolder(folder)) {
            throw conflict(folder, "a folder in the way of a file");
        }
        try {
            files.delete(folder);
        } catch (DirectoryNotEmptyException e) {
            files.delete(file);
            String name = to.relativize(folder).toString();
            folderKept = folderKept == null
                    ? new ExtractionWarning(ExtractionWarning.Type.DIRECTORY_NOT_REPLACED, 1, name, "")
                    : folderKept.incremented();
            return false;
        }
        files.rename(file, folder);
        return true;
    }

    private String name(Path path) {
        return path.equals(from) ? to.toString() : from.relativize(path).toString();
    }

    /** Returns whether a failure may be temporary. Others, such as a missing file, are permanent, and so are denied permissions outside Windows. */
    private boolean isTransient(IOException e) {
        return e.getClass() == FileSystemException.class || windows && e instanceof AccessDeniedException;
    }

    /** Returns the reason of a failure, without the paths in a file system exception's message. */
    private static String reason(IOException e) {
        if (e instanceof FileSystemException f) {
            return f.getReason() != null ? f.getReason() : f.getClass().getSimpleName();
        }
        return e.getMessage();
    }

    private String progressText() {
        return ". Missing, or as it was before: " + missing
                + (moved.names.isEmpty() ? ". Nothing has arrived" : ". Has arrived: " + moved);
    }
}
