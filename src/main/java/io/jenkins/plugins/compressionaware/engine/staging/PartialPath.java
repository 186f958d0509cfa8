package io.jenkins.plugins.compressionaware.engine.staging;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The path of a file or folder that is assembled next to its destination. The name marks it as incomplete, for the case of a crash. */
@Restricted(NoExternalUse.class)
public final class PartialPath {
    private static final Logger LOGGER = Logger.getLogger(PartialPath.class.getName());

    private static final String SUFFIX = ".partial";

    private static final Pattern NAME =
            Pattern.compile("\\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}" + Pattern.quote(SUFFIX));

    private static final long PAUSE_MILLIS = 100;

    private PartialPath() {}

    public static Path create(Path folder) {
        return folder.resolve("." + UUID.randomUUID() + SUFFIX);
    }

    /**
     * Renames a complete file to its final name atomically, replacing an existing file. On Windows, retries for ten seconds, because a virus scanner may be
     * reading the file. An interrupt stops the retries and stays set.
     */
    public static void publish(Path partial, Path file) throws IOException {
        publish(partial, file, new FileOperations());
    }

    static void publish(Path partial, Path file, FileOperations files) throws IOException {
        // Jimfs can imitate Windows
        boolean windows = file.getFileSystem().getSeparator().equals("\\");
        BasicFileAttributes attributes = FileOperations.attributes(partial);
        FileSystemException first = null;
        for (long left = FileOperations.RETRY_MILLIS; ; left -= PAUSE_MILLIS) {
            try {
                files.rename(partial, file, attributes);
                return;
            } catch (FileSystemException e) {
                first = first == null ? e : first;
                if (!windows || left <= 0 || e instanceof NoSuchFileException) {
                    throw first;
                }
            }
            try {
                files.pause(PAUSE_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw first;
            }
        }
    }

    /** Deletes an incomplete file, if it exists. A failure is only logged, because the journal still names the file. */
    public static void discard(Path partial) {
        try {
            Files.deleteIfExists(partial);
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, e, () -> "Cannot delete " + partial);
        }
    }

    static boolean is(Path path) {
        Path name = path.getFileName();
        return name != null && NAME.matcher(name.toString()).matches();
    }
}
