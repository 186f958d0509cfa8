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

/** Renames a new file to its final name atomically. On Windows, it retries for ten seconds, because a virus scanner may be reading the file. */
@Restricted(NoExternalUse.class)
public final class RetryingRename {
    private static final long RETRY_MILLIS = 10_000;
    private static final long PAUSE_MILLIS = 100;

    interface Attempt {
        void run() throws IOException;
    }

    interface Sleeper {
        void make(long millis) throws InterruptedException;
    }

    private RetryingRename() {}

    /** Renames {@code partial} to {@code file}, replacing an existing file. An interrupt stops the retries and stays set. */
    public static void move(Path partial, Path file) throws IOException {
        retry(
                () -> Files.move(partial, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING),
                File.separatorChar == '\\',
                Thread::sleep);
    }

    static void retry(Attempt rename, boolean windows, Sleeper pause) throws IOException {
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
