package io.jenkins.plugins.compressionaware.staging;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.tar.LandingWarning;
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
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;

/**
 * Moves all that is in one folder into another, in which others may be at work. A file or link takes the place of an earlier one by one rename, and a folder
 * comes by one rename where there is none; where there is one, it is walked. A file that cannot move now stays where it is and is tried again, for ten seconds in
 * all: on Windows nothing can be renamed while a virus scanner reads it, for some seconds after it was written, or while somebody downloads it.
 * Nothing is taken back. Used once, by one thread, which may be interrupted.
 */
final class TreeMove {
    /** Milliseconds, as those below. */
    private static final long PATIENCE = 10_000;

    /** When that much is left of it, the files of a folder move one by one if the folder cannot: for so long it may still come as a whole. */
    private static final long FILE_BY_FILE = PATIENCE / 2;

    private static final long LONGEST_PAUSE = 500;

    private final Path from;
    private final Path to;
    private final boolean ofArchive;
    private final boolean followsLinks;
    private final FileOperations files;
    private final boolean windows;
    /** By what comes: where links lead that were there before anything moved. */
    private final Map<Path, Path> throughLinks = new HashMap<>();

    private final FirstNames arrived = new FirstNames();
    private FirstNames missing = new FirstNames();
    private IOException failure;
    private boolean mayPass;
    private LandingWarning folderKept;
    private long left = PATIENCE;

    private TreeMove(Path from, Path to, boolean ofArchive, boolean followsLinks, FileOperations files) {
        this.from = from;
        this.to = to;
        this.ofArchive = ofArchive;
        this.followsLinks = followsLinks;
        this.files = files;
        // Jimfs has a Windows of its own
        windows = to.getFileSystem().getSeparator().equals("\\");
    }

    /**
     * A file may take the place of a link; nothing is written through one. An interrupt does not stop it before it has to wait: the archive is its build's alone,
     * and better whole.
     */
    static TreeMove intoArchive(Path from, Path archive, FileOperations files) {
        return new TreeMove(from, archive, true, false, files);
    }

    /**
     * An interrupt stops it before the next rename: the workspace may soon be another build's, whose files these would replace.
     *
     * @param followsLinks whether files are written through links that were there before; else what would be is refused. Where they lead is known before
     *     the first move, so that no link that comes now is ever written through.
     */
    static TreeMove intoWorkspace(Path from, Path workspace, boolean followsLinks, FileOperations files) {
        return new TreeMove(from, workspace, false, followsLinks, files);
    }

    /**
     * @param lock held while things move, not between two attempts
     * @return what did not land as it should
     * @throws IOException          naming what is in the way: nothing has moved then; or what has arrived and what is missing
     * @throws InterruptedException if interrupted while it waits, or where it stops for that, with the same in its message
     */
    List<LandingWarning> run(Lock lock) throws IOException, InterruptedException {
        lock.lockInterruptibly();
        try {
            if (FileOperations.isFolder(to)) {
                check(from, to);
            }
            moveAll();
        } finally {
            lock.unlock();
        }
        for (long pause = 10; failure != null; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
            if (!mayPass || left <= 0) {
                throw new IOException(missing.first() + " could not be moved: " + reason(failure) + state(), failure);
            }
            try {
                files.pause(pause);
                lock.lockInterruptibly();
            } catch (InterruptedException e) {
                throw interrupted();
            }
            try {
                left -= pause;
                moveAll();
            } finally {
                lock.unlock();
            }
        }
        return folderKept == null ? List.of() : List.of(folderKept);
    }

    private InterruptedException interrupted() {
        return (InterruptedException) new InterruptedException("Interrupted" + state()).initCause(failure);
    }

    private void moveAll() throws InterruptedException {
        missing = new FirstNames();
        failure = null;
        mayPass = true;
        try {
            move(from, to, FileOperations.attributes(from));
        } catch (IOException e) {
            failed(from, e);
        }
        if (!missing.isEmpty() && isStopped()) {
            Thread.interrupted();
            throw interrupted();
        }
        // not every disk lists a folder well from which something is moved meanwhile
        if (failure == null && FileOperations.holdsFiles(from)) {
            failed(from, new FileSystemException(null, null, "the disk did not list all of it"));
        }
    }

    private boolean isStopped() {
        return !ofArchive && Thread.currentThread().isInterrupted();
    }

    private void check(Path folder, Path there) throws IOException {
        Map<Path, Path> folders = new HashMap<>();
        try (DirectoryStream<Path> children = Files.newDirectoryStream(folder)) {
            for (Path child : children) {
                Path place = there.resolve(child.getFileName());
                BasicFileAttributes earlier = FileOperations.attributes(place);
                BasicFileAttributes what = earlier == null ? null : FileOperations.attributes(child);
                if (what == null || what.isSymbolicLink()) {
                    continue;
                }
                boolean isFolder = what.isDirectory();
                if (earlier.isSymbolicLink()) {
                    if (ofArchive && !isFolder) {
                        continue;
                    }
                    place = throughLink(child, place);
                    earlier = FileOperations.attributes(place);
                }
                boolean isFolderThere = earlier != null && earlier.isDirectory();
                if (isFolder != isFolderThere) {
                    throw inTheWay(
                            place, isFolder ? "a file in the place of a folder" : "a folder in the place of a file");
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

    private Path throughLink(Path child, Path link) throws IOException {
        if (!followsLinks) {
            throw inTheWay(link, "a link, and nothing is written through links");
        }
        Path end = LinkEnd.of(link);
        if (end == null) {
            throw inTheWay(link, "a link that leads nowhere");
        }
        throughLinks.put(child, end);
        return end;
    }

    private IOException inTheWay(Path path, String what) {
        return new IOException((path.startsWith(to) ? to.relativize(path) : path) + " is " + what);
    }

    private void move(Path path, Path there, @CheckForNull BasicFileAttributes what) {
        try {
            if (isStopped()) {
                missing.add(name(path));
            } else if (what != null && what.isDirectory()) {
                moveFolder(path, there, what);
            } else {
                moveFile(path, there, what);
            }
        } catch (IOException e) {
            failed(path, e);
        }
    }

    private void failed(Path path, IOException e) {
        mayPass &= mayPass(e);
        if (failure == null) {
            failure = e;
        }
        missing.add(name(path));
    }

    private void moveFolder(Path folder, Path there, BasicFileAttributes what) throws IOException {
        BasicFileAttributes earlier = FileOperations.attributes(there);
        if (earlier == null) {
            try {
                rename(folder, there, what);
                arrived.add(name(folder));
                return;
            } catch (FileSystemException e) {
                make(there, e);
            }
        } else if (!earlier.isDirectory()) {
            throw inTheWay(there, "a file in the place of a folder");
        }
        Map<Path, BasicFileAttributes> folders = new LinkedHashMap<>();
        try (DirectoryStream<Path> children = Files.newDirectoryStream(folder)) {
            for (Path child : children) {
                // what stays is told by its name alone: a slow disk need not be asked
                BasicFileAttributes each = isStopped() ? null : FileOperations.attributes(child);
                if (each != null && each.isDirectory()) {
                    folders.put(child, each);
                } else {
                    move(child, place(child, there), each);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        // without a lambda, which costs a fresh agent tens of milliseconds
        for (Map.Entry<Path, BasicFileAttributes> each : folders.entrySet()) {
            move(each.getKey(), place(each.getKey(), there), each.getValue());
        }
        try {
            files.delete(folder);
        } catch (IOException e) {
            // something in it could not move, or somebody looks at it: whoever has made it removes it later
        }
    }

    /** @param failed why the whole folder could not come: one has appeared since, or it is on another disk, or it cannot move now */
    private void make(Path folder, FileSystemException failed) throws IOException {
        if (failed instanceof AtomicMoveNotSupportedException || mayPass(failed) && left <= FILE_BY_FILE) {
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

    private Path place(Path child, Path folder) {
        return throughLinks.getOrDefault(child, folder.resolve(child.getFileName()));
    }

    private void moveFile(Path file, Path there, @CheckForNull BasicFileAttributes what) throws IOException {
        try {
            rename(file, there, what);
        } catch (AtomicMoveNotSupportedException e) {
            files.copyAndDelete(file, there);
        } catch (FileSystemException e) {
            // with links followed: Windows does not replace one that leads to a folder
            if (!FileOperations.isFolder(there) && !(windows && Files.isDirectory(there))) {
                throw e;
            } else if (!replaceFolder(file, there)) {
                return;
            }
        }
        arrived.add(name(file));
    }

    private void rename(Path path, Path there, @CheckForNull BasicFileAttributes what) throws IOException {
        try {
            files.rename(path, there);
        } catch (NoSuchFileException e) {
            // a server whose answer was lost is asked again, and has no such file any more: it is where it was to go
            BasicFileAttributes found = FileOperations.attributes(there);
            Object key = what == null ? null : what.fileKey();
            if (key == null || found == null || !key.equals(found.fileKey())) {
                // the folder above was empty, and one that has come took its place at this very moment
                files.rename(path, there);
            }
        }
    }

    /** As core does it: a link takes the place of a folder that is empty, and of no other. */
    private boolean replaceFolder(Path file, Path folder) throws IOException {
        if (!Files.isSymbolicLink(file) && FileOperations.isFolder(folder)) {
            throw inTheWay(folder, "a folder in the place of a file");
        }
        try {
            files.delete(folder);
        } catch (DirectoryNotEmptyException e) {
            files.delete(file);
            String name = to.relativize(folder).toString();
            folderKept = folderKept == null
                    ? new LandingWarning(LandingWarning.Kind.FOLDER_KEPT, 1, name, "")
                    : folderKept.oneMore();
            return false;
        }
        files.rename(file, folder);
        return true;
    }

    private String name(Path path) {
        return path.equals(from) ? to.toString() : from.relativize(path).toString();
    }

    /** Other kinds, such as that something is not there, do not change by themselves, and outside of Windows permissions do not. */
    private boolean mayPass(IOException e) {
        return e.getClass() == FileSystemException.class || windows && e instanceof AccessDeniedException;
    }

    /** Without the paths, where the exception says more than those. */
    private static String reason(IOException e) {
        if (e instanceof FileSystemException f) {
            return f.getReason() != null ? f.getReason() : f.getClass().getSimpleName();
        }
        return e.getMessage();
    }

    private String state() {
        return ". Missing, or as it was before: " + missing
                + (arrived.isEmpty() ? ". Nothing has arrived" : ". Has arrived: " + arrived);
    }
}
