package io.jenkins.plugins.compressionaware.staging;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;

/**
 * What the file system is asked to do here that may fail. On Windows a file cannot be renamed while a virus scanner reads it, for some seconds after it was written, or
 * while somebody downloads it; on a network drive a Windows server may say the same. So a rename that fails is tried again, in all for ten seconds.
 * Used by one thread.
 */
class Disk {
    private static final long PATIENCE = TimeUnit.SECONDS.toMillis(10);
    private static final long LONGEST_PAUSE = 500;

    private long left = PATIENCE;
    private boolean links = true;

    /** Replaces a file or link, not a folder. */
    void move(Path from, Path to) throws IOException, InterruptedException {
        for (long pause = 10; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
            try {
                rename(from, to);
                return;
            } catch (FileSystemException e) {
                if (left <= 0 || !mayPass(e)) {
                    throw e;
                }
                pause(pause);
                left -= pause;
            }
        }
    }

    /** As {@link #move}, for what must not be left half done: an interrupt ends the patience and no more. It is kept for the caller. */
    void moveBack(Path from, Path to) throws IOException {
        try {
            move(from, to);
        } catch (InterruptedException e) {
            try {
                rename(from, to);
            } finally {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Allows for another ten seconds. */
    void bePatientAgain() {
        left = PATIENCE;
    }

    /**
     * Gives a regular file a second name, so that one of its names can be taken by another file without a moment where there is none.
     *
     * @return false if it has to move instead
     */
    boolean link(Path existing, Path second) {
        // Windows does not replace a file that is being downloaded, but renames it
        if (links && !existing.getFileSystem().getSeparator().equals("\\")) {
            try {
                Files.createLink(second, existing);
                return true;
            } catch (IOException | UnsupportedOperationException e) {
                // not every file system has links; what else is wrong the move will tell
                links = false;
            }
        }
        return false;
    }

    /** Without the paths, where the exception says more than those. */
    static String reason(Exception e) {
        if (e instanceof FileSystemException f) {
            return f.getReason() != null ? f.getReason() : f.getClass().getSimpleName();
        }
        return e.getMessage();
    }

    // what tests replace

    void rename(Path from, Path to) throws IOException {
        try {
            // what replaces is up to the file system if only the first is asked for
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    void delete(Path path) throws IOException {
        Files.deleteIfExists(path);
    }

    void pause(long millis) throws InterruptedException {
        Thread.sleep(millis);
    }

    /** Other kinds, such as that something is not there, do not change by themselves. */
    private static boolean mayPass(FileSystemException e) {
        return e.getClass() == FileSystemException.class || e instanceof AccessDeniedException;
    }
}
