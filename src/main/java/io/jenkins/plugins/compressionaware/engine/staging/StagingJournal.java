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
 * Records the {@link PartialPath} of each transfer in a small file, so that after a crash the next process finds what to delete without scanning the disk. Best
 * effort: failures are only logged. Thread-safe.
 */
@Restricted(NoExternalUse.class)
public final class StagingJournal {
    private static final Logger LOGGER = Logger.getLogger(StagingJournal.class.getName());

    /** Maximum depth of the search for recent changes, which keeps two descriptors open for each level. */
    private static final int MAX_DEPTH = 100;

    /** Entries of this process. */
    private static final Set<Path> ACTIVE_ENTRIES = ConcurrentHashMap.newKeySet();

    private final Path folder;

    /** @param folder contains only entries of the journal; need not exist */
    public StagingJournal(Path folder) {
        this.folder = folder;
    }

    /** The entry of one transfer, to be closed when the transfer ends. */
    public static final class Entry implements Closeable {
        private final Path file;
        private final Path partial;

        private Entry(Path file, Path partial) {
            this.file = file;
            this.partial = partial;
        }

        /** Deletes the entry, unless the partial path still exists. */
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
     * Adds an entry for a transfer.
     *
     * @param partial path that the transfer will create
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
     * Deletes the partial paths of other processes' transfers, and their entries. May take long, because there may be many large files.
     *
     * @param quiet milliseconds; a path that changed within this time is kept, because its process may be alive on another machine
     */
    public void deleteAbandoned(long quiet) {
        try {
            for (Path file : FileOperations.list(folder)) {
                if (!ACTIVE_ENTRIES.contains(file)) {
                    deleteAbandoned(file, quiet);
                }
            }
        } catch (NoSuchFileException e) {
            LOGGER.log(Level.FINE, "There is no staging journal yet", e);
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, e, () -> "Cannot read " + folder);
        }
    }

    private static void deleteAbandoned(Path file, long quiet) {
        try {
            Path partial = Path.of(Files.readString(file));
            if (hasChanged(file, quiet) || hasChanged(partial, quiet)) {
                return;
            }
            if (PartialPath.is(partial) && Files.exists(partial, LinkOption.NOFOLLOW_LINKS)) {
                new FileOperations().deleteRecursively(partial);
                LOGGER.log(Level.INFO, "Removed {0}, which an interrupted transfer had left", partial);
            }
            Files.deleteIfExists(file);
        } catch (IOException | InvalidPathException e) {
            LOGGER.log(Level.WARNING, e, () -> "Cannot remove the leftovers of a transfer, see " + file);
        }
    }

    /** Returns whether anything at or below a path changed recently. Checks folders, too, because a file may have any time from the agent. */
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
            LOGGER.log(Level.FINE, e, () -> "Another process is modifying " + path);
            return true;
        }
    }
}
