package io.jenkins.plugins.compressionaware.engine.framefile;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Gives a file its name, in one step. On Windows that fails while a virus scanner reads what was just written: it is tried again for ten seconds, as for
 * the files of an archive.
 */
@Restricted(NoExternalUse.class)
public final class RetryingRename {
    private static final long RETRY_MILLIS = 10_000;
    private static final long PAUSE_MILLIS = 100;

    interface Rename {
        void run() throws IOException;
    }

    interface Pause {
        void make(long millis) throws InterruptedException;
    }

    private RetryingRename() {}

    /** Replaces what is there. An interrupt ends the attempts, and stays. */
    public static void move(Path partial, Path file) throws IOException {
        retry(
                () -> Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING),
                File.separatorChar == '\\',
                Thread::sleep);
    }

    static void retry(Rename rename, boolean windows, Pause pause) throws IOException {
        FileSystemException first = null;
        for (long left = RETRY_MILLIS; ; left -= PAUSE_MILLIS) {
            try {
                rename.run();
                return;
            } catch (FileSystemException e) {
                first = first == null ? e : first;
                if (!windows || left <= 0 || e instanceof NoSuchFileException) {
                    throw first;
                }
            }
            try {
                pause.make(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw first;
            }
        }
    }
}
