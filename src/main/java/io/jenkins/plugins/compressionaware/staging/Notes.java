package io.jenkins.plugins.compressionaware.staging;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Small files that tell which archives have a transfer under way: one per transfer, with the archive's path in it, or that of a {@link PartialFile}. Those that a crash leaves tell
 * the next process where {@link Leftovers} are, so it need not look anywhere else. A note is a help and no more: what is wrong with it is
 * logged. For any thread.
 */
public final class Notes {
    private static final Logger LOGGER = Logger.getLogger(Notes.class.getName());
    /** Those of this process. */
    private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

    private final Path folder;

    /** @param folder of nothing but notes; need not exist */
    public Notes(Path folder) {
        this.folder = folder;
    }

    /** A transfer is under way until this is closed. */
    public static final class Note implements Closeable {
        private final Path file;
        private final Path archive;

        private Note(Path file, Path archive) {
            this.file = file;
            this.archive = archive;
        }

        /** The note itself stays if something is left that could not be removed. */
        @Override
        public void close() {
            try {
                if (!Leftovers.exist(archive)) {
                    Files.deleteIfExists(file);
                }
            } catch (IOException e) {
                LOGGER.log(Level.WARNING, e, () -> "Cannot delete " + file);
            } finally {
                OPEN.remove(file);
            }
        }
    }

    /**
     * Removes what earlier transfers have left beside the archive, and notes that one begins.
     *
     * @throws InterruptedException if interrupted while another transfer changes the archive
     */
    public Note begin(Path archive) throws InterruptedException {
        try {
            Leftovers.remove(archive);
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, e, () -> "Cannot remove all that a transfer has left beside " + archive);
        }
        Path file = folder.resolve(UUID.randomUUID().toString());
        OPEN.add(file);
        try {
            Files.createDirectories(folder);
            Files.writeString(file, archive.toAbsolutePath().toString());
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, e, () -> "Cannot write " + file);
        }
        return new Note(file, archive);
    }

    /** Removes what transfers of an earlier process have left, and their notes. May take long, as there may be many large files. */
    public void cleanUp() throws InterruptedException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder)) {
            for (Path file : all) {
                if (!OPEN.contains(file)) {
                    cleanUp(file);
                }
            }
        } catch (NoSuchFileException e) {
            LOGGER.log(Level.FINE, "No transfer was ever noted", e);
        } catch (IOException | DirectoryIteratorException e) {
            LOGGER.log(Level.WARNING, e, () -> "Cannot read " + folder);
        }
    }

    private static void cleanUp(Path file) throws InterruptedException {
        try {
            String archive = Files.readString(file);
            if (!archive.isEmpty()) {
                Leftovers.remove(Path.of(archive));
            }
            Files.deleteIfExists(file);
        } catch (IOException | InvalidPathException e) {
            LOGGER.log(Level.WARNING, e, () -> "Cannot remove what a transfer has left, see " + file);
        }
    }
}
