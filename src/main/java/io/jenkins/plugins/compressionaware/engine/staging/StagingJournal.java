package io.jenkins.plugins.compressionaware.engine.staging;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Small files, one per transfer, that hold the {@link PartialPath} being filled. Notes left by a crash tell the next process what to remove, so that it
 * need not search. They are only an aid: a failure of one is logged. For any thread.
 */
@Restricted(NoExternalUse.class)
public final class StagingJournal {
    private static final Logger LOGGER = Logger.getLogger(StagingJournal.class.getName());

    /** Deeper content is removed without a look at its age: a walk keeps two descriptors per folder on its way. */
    private static final int MAX_DEPTH = 100;

    /** Notes of this process. */
    private static final Set<Path> ACTIVE_ENTRIES = ConcurrentHashMap.newKeySet();

    private final Path folder;

    /** @param folder holds nothing but notes; need not exist */
    public StagingJournal(Path folder) {
        this.folder = folder;
    }

    /** A transfer is running until this is closed. */
    public static final class Entry implements Closeable {
        private final Path file;
        private final Path partial;

        private Entry(Path file, Path partial) {
            this.file = file;
            this.partial = partial;
        }

        /** Deletes the note, unless something is left that could not be removed. */
        @Override
        public void close() {
            try {
                if (!Files.exists(partial, LinkOption.NOFOLLOW_LINKS)) {
                    Files.deleteIfExists(file);
                }
            } catch (IOException e) {
                LOGGER.log(Level.WARNING, e, () -> "Cannot delete " + file);
            } finally {
                ACTIVE_ENTRIES.remove(file);
            }
        }
    }

    /**
     * Notes that a transfer begins.
     *
     * @param partial what the transfer will create
     */
    public Entry open(Path partial) {
        Path file = folder.resolve(UUID.randomUUID().toString());
        ACTIVE_ENTRIES.add(file);
        try {
            Files.createDirectories(folder);
            Files.writeString(file, partial.toAbsolutePath().toString());
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, e, () -> "Cannot write " + file);
        }
        return new Entry(file, partial);
    }

    /**
     * Removes what transfers of other processes have left, and their notes. May take long, as there may be many large files.
     *
     * @param quiet milliseconds; anything that changed within them is kept, since its process may be alive on another machine
     */
    public void deleteAbandoned(long quiet) {
        try {
            for (Path file : FileOperations.list(folder)) {
                if (!ACTIVE_ENTRIES.contains(file)) {
                    deleteAbandoned(file, quiet);
                }
            }
        } catch (NoSuchFileException e) {
            LOGGER.log(Level.FINE, "No transfer was ever noted", e);
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, e, () -> "Cannot read " + folder);
        }
    }

    private static void deleteAbandoned(Path file, long quiet) {
        try {
            Path left = Path.of(Files.readString(file));
            if (hasChanged(file, quiet) || hasChanged(left, quiet)) {
                return;
            }
            if (PartialPath.is(left) && Files.exists(left, LinkOption.NOFOLLOW_LINKS)) {
                new FileOperations().deleteRecursively(left);
                LOGGER.log(Level.INFO, "Removed {0}, which an interrupted transfer had left", left);
            }
            Files.deleteIfExists(file);
        } catch (IOException | InvalidPathException e) {
            LOGGER.log(Level.WARNING, e, () -> "Cannot remove the leftovers of a transfer, see " + file);
        }
    }

    /** Looks at folders too: a file has whatever time it had on the agent, but its folder has the time of the arrival. */
    private static boolean hasChanged(Path path, long millis) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        long now = System.currentTimeMillis();
        try (Stream<Path> all = Files.walk(path, MAX_DEPTH)) {
            for (Path each : (Iterable<Path>) all::iterator) {
                long age = now
                        - Files.getLastModifiedTime(each, LinkOption.NOFOLLOW_LINKS)
                                .toMillis();
                if (Math.abs(age) < millis) {
                    return true;
                }
            }
            return false;
        } catch (UncheckedIOException e) {
            LOGGER.log(Level.FINE, e, () -> "Something is at work in " + path);
            return true;
        }
    }
}
