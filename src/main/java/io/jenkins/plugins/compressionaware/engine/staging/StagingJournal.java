package io.jenkins.plugins.compressionaware.engine.staging;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Records the {@link PartialPath} of each transfer in a small file, so that after a crash the next process finds what to finish or delete without scanning the
 * disk. Best effort: failures are only logged. Thread-safe.
 */
@Restricted(NoExternalUse.class)
public final class StagingJournal {
    private static final Logger LOGGER = Logger.getLogger(StagingJournal.class.getName());

    /** Maximum depth of the search for recent changes, which keeps two descriptors open for each level. */
    private static final int MAX_DEPTH = 100;

    /** Milliseconds for which an entry is kept while the folder of its job is missing, because the disk may return. */
    private static final long MAX_MISSING_MILLIS = TimeUnit.DAYS.toMillis(30);

    /** Names of the partial paths of this process. */
    private static final Set<Path> ACTIVE_NAMES = ConcurrentHashMap.newKeySet();

    private final Path folder;
    private final Path home;

    /**
     * @param folder contains only entries of the journal; need not exist
     * @param home   entries name paths below it relative to it, so that a home can be copied or moved
     */
    public StagingJournal(Path folder, Path home) {
        this.folder = folder;
        this.home = home.toAbsolutePath();
    }

    /**
     * The content of an entry.
     *
     * @param partial null if the entry names none that this process may delete
     * @param target  name of the folder into which the partial folder is being merged; empty before a merge
     */
    private record Content(@CheckForNull Path partial, String target) {
        boolean isActive() {
            return partial != null && ACTIVE_NAMES.contains(partial.getFileName());
        }

        boolean isMerging() {
            return partial != null && !target.isEmpty() && Files.exists(partial, LinkOption.NOFOLLOW_LINKS);
        }
    }

    /** The entry of one transfer, to be closed when the transfer ends. */
    public static final class Entry implements Closeable {
        private final StagingJournal journal;
        private final Path file;
        private final Path partial;
        private String target = "";

        private Entry(StagingJournal journal, Path file, Path partial) {
            this.journal = journal;
            this.file = file;
            this.partial = partial;
        }

        /** @param name see {@link Content#target} */
        void setTarget(String name) {
            if (!name.equals(target)) {
                target = name;
                journal.write(file, partial, name);
            }
        }

        /** Deletes the entry, unless the partial path still exists. If the job has been moved meanwhile, deletes the partial path there. */
        @Override
        public void close() {
            try {
                Path now = partial;
                if (!Files.exists(parent(partial))) {
                    now = Objects.requireNonNullElse(journal.read(file).partial, partial);
                    new FileOperations().deleteRecursively(now);
                }
                if (isGone(now)) {
                    Files.deleteIfExists(file);
                }
            } catch (IOException e) {
                LOGGER.log(Level.WARNING, e, () -> "Cannot delete " + file);
            } finally {
                ACTIVE_NAMES.remove(partial.getFileName());
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
        ACTIVE_NAMES.add(partial.getFileName());
        write(file, partial, "");
        return new Entry(this, file, partial);
    }

    /** Writes an entry atomically, so that a full disk or a crash leaves no incomplete entry. */
    private void write(Path file, Path partial, String target) {
        Path whole = PartialPath.create(folder);
        try {
            Files.createDirectories(folder);
            Path realHome = home.toRealPath();
            Path path = Stream.of(home, realHome)
                    .filter(partial::startsWith)
                    .findFirst()
                    .map(root -> root.relativize(partial))
                    .orElse(partial);
            Files.write(whole, List.of(path.toString(), target, realHome.toString()));
            new FileOperations().rename(whole, file);
        } catch (IOException e) {
            PartialPath.discard(whole);
            LOGGER.log(Level.WARNING, e, () -> "Cannot write " + file);
        }
    }

    private Content read(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        Path partial = home.resolve(lines.isEmpty() ? "" : lines.get(0));
        // an absolute path in a copied home may be in use by the original
        boolean isOwn = partial.startsWith(home)
                || lines.size() > 2 && lines.get(2).equals(home.toRealPath().toString());
        return new Content(isOwn && PartialPath.is(partial) ? partial : null, lines.size() > 1 ? lines.get(1) : "");
    }

    private interface Action {
        void on(Path file, Content content) throws IOException, InterruptedException;
    }

    private void forEachEntry(Action action) {
        try {
            for (Path file : FileOperations.list(folder)) {
                try {
                    action.on(file, read(file));
                } catch (NoSuchFileException e) {
                    LOGGER.log(Level.FINE, e, () -> file + " has been deleted by its transfer");
                } catch (IOException | InvalidPathException e) {
                    LOGGER.log(Level.WARNING, e, () -> "Cannot clean up after a transfer, see " + file);
                }
            }
        } catch (NoSuchFileException e) {
            LOGGER.log(Level.FINE, "There is no staging journal yet", e);
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, e, () -> "Cannot read " + folder);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Finishes the merges of other processes. Must be called before builds run, because they may archive newer files. */
    public void finishMerges() {
        forEachEntry((file, content) -> {
            Path partial = content.partial;
            if (content.isMerging() && !content.isActive()) {
                StagedArchive.finish(partial, partial.resolveSibling(content.target));
                Files.deleteIfExists(file);
                LOGGER.log(Level.INFO, "Finished moving {0}, of which all files had arrived", partial);
            }
        });
    }

    /**
     * Updates the entries of a job whose folder has been moved.
     *
     * @param builds the new path of the folder that contains the builds
     */
    public void moved(Path builds) {
        forEachEntry((file, content) -> {
            Path old = content.partial;
            // a folder beside an archive, or a file among stashes
            for (int names = 2; names <= 3 && old != null && Files.notExists(old, LinkOption.NOFOLLOW_LINKS); names++) {
                int count = old.getNameCount();
                Path now = builds.resolve(old.subpath(Math.max(0, count - names), count));
                if (Files.exists(now, LinkOption.NOFOLLOW_LINKS)) {
                    write(file, now, content.target);
                    return;
                }
            }
        });
    }

    /**
     * Deletes the partial paths of other processes' transfers, and their entries, except unfinished merges. May take long, because there may be many large
     * files.
     *
     * @param quiet milliseconds; a path that changed within this time is kept, because its process may be alive on another machine
     */
    public void deleteAbandoned(long quiet) {
        forEachEntry((file, content) -> {
            Path partial = content.partial;
            if (hasChanged(file, quiet)) {
                return;
            } else if (partial == null) {
                LOGGER.log(Level.INFO, "Removed {0}, which names no file of this Jenkins: {1}", new Object[] {
                    file, Files.readAllLines(file)
                });
                Files.deleteIfExists(file);
                return;
            } else if (content.isActive() || content.isMerging() || hasChanged(partial, quiet)) {
                return;
            }
            if (!Files.notExists(partial, LinkOption.NOFOLLOW_LINKS)) {
                new FileOperations().deleteRecursively(partial);
                LOGGER.log(Level.INFO, "Removed {0}, which an interrupted transfer had left", partial);
            }
            if (isGone(partial) || !hasChanged(file, MAX_MISSING_MILLIS)) {
                Files.deleteIfExists(file);
            }
        });
    }

    private static Path parent(Path path) {
        return Objects.requireNonNullElse(path.getParent(), path);
    }

    /** Returns whether a partial path does not exist on a disk that answers. Returns false if the folder above the build is missing, too. */
    private static boolean isGone(Path partial) {
        Path folder = parent(partial);
        Path build = folder.endsWith("stashes") ? parent(folder) : folder;
        return Files.notExists(partial, LinkOption.NOFOLLOW_LINKS) && Files.exists(parent(build));
    }

    /** Returns whether anything at or below a path changed recently. Checks folders, too, because a file may have any time from the agent. */
    private static boolean hasChanged(Path path, long millis) throws IOException {
        if (Files.notExists(path, LinkOption.NOFOLLOW_LINKS)) {
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
