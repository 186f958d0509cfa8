package io.jenkins.plugins.compressionaware.store;

import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.packed.PackedArchive;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Owns the objects that are to be deleted. Each upload has a list, a file with its store and its keys. While the list is in this journal, its objects are
 * deleted unless the upload runs in this JVM. Moving the list to {@link StoredRecord#LISTS} of a build gives the objects to that build. Thread-safe.
 */
@Restricted(NoExternalUse.class)
public final class StoreJournal {
    private static final Logger LOGGER = Logger.getLogger(StoreJournal.class.getName());

    /** Names of the lists in use in this JVM. */
    private static final Set<Path> RUNNING = ConcurrentHashMap.newKeySet();

    /** Names of the lists in the journal whose uploads ended in this JVM, or were found by it. */
    private static final Set<Path> ENDED = ConcurrentHashMap.newKeySet();

    /** Ends the name of a list whose upload is complete. */
    private static final String COMPLETE = ".complete";

    /** An agent may still use a signature, or end a request, for so long after the end of its upload. */
    private static final Duration LATE = Duration.ofMinutes(30);

    private final Path folder;
    private final Stores stores;

    /** Finds a store. */
    @FunctionalInterface
    interface Stores {
        ObjectStore of(StoreLocation location) throws IOException;
    }

    /** @param folder exists */
    public StoreJournal(Path folder) {
        this(folder, ObjectStores::of);
    }

    StoreJournal(Path folder, Stores stores) {
        this.folder = folder;
        this.stores = stores;
    }

    /** An upload that runs until {@link #end}. */
    final class Upload {
        private final Path list;

        private Upload(Path list) {
            this.list = list;
            RUNNING.add(list.getFileName());
        }

        private void write(List<String> lines, StandardOpenOption option) throws IOException {
            Files.write(list, lines, option, StandardOpenOption.SYNC);
        }

        /** Adds an object. Must be called before the first request for it. */
        void add(String key) throws IOException {
            write(List.of(key), StandardOpenOption.APPEND);
        }

        /** Gives the objects to a build. Must be called before their record is saved, so that the journal has no object that a record names. */
        void commit(Path build) throws IOException {
            Path owned = build.resolve(StoredRecord.LISTS);
            try {
                Files.createDirectory(owned); // not its parents, because the build may have been deleted
            } catch (FileAlreadyExistsException e) {
                // by an earlier upload
            }
            touch(list);
            Files.move(list, owned.resolve(list.getFileName()));
        }

        Path end() {
            try {
                touch(list);
                ENDED.add(list.getFileName());
            } catch (IOException e) { // a build may own the objects now
                LOGGER.log(Level.FINE, e, () -> "Cannot touch " + list);
            }
            RUNNING.remove(list.getFileName());
            return list;
        }
    }

    private static void touch(Path list) throws IOException {
        Files.setLastModifiedTime(list, FileTime.from(Instant.now()));
    }

    /**
     * Begins an upload. Must be called before the first request to the store.
     *
     * @param key of the object
     * @param id  UUID in the key, which is the name of the list
     */
    Upload begin(StoreLocation location, String key, String id) throws IOException {
        Upload upload = new Upload(folder.resolve(id));
        try {
            upload.write(List.of(location.describe(), key), StandardOpenOption.CREATE_NEW);
            return upload;
        } catch (IOException | RuntimeException e) {
            upload.end();
            throw e;
        }
    }

    /**
     * Returns the builds of a job that own objects.
     *
     * @param builds folder of the builds; need not exist
     */
    public static List<Path> buildsOf(Path builds) throws IOException {
        List<Path> found = files(builds, "*");
        found.removeIf(build -> Files.notExists(build.resolve(StoredRecord.LISTS)));
        return found;
    }

    /** Returns the lists of a build. */
    public static List<Path> listsOf(Path build) throws IOException {
        return files(build.resolve(StoredRecord.LISTS), "*");
    }

    private static List<Path> files(Path folder, String glob) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, glob)) {
            files.forEach(found::add);
        } catch (NoSuchFileException e) {
            LOGGER.log(Level.FINEST, e, () -> folder + " does not exist");
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return found;
    }

    /**
     * Takes those objects of a build that no record names. Must be called after records were deleted or replaced.
     *
     * @return the lists, now in this journal
     */
    public List<Path> takeUnused(Path build) throws IOException {
        // in this order: a list, if its upload has ended by now, had its record before
        List<Path> lists = listsOf(build);
        lists.removeIf(list -> RUNNING.contains(list.getFileName()));
        if (!lists.isEmpty()) {
            List<Path> records = files(build.resolve("archive").resolve(PackedArchive.FOLDER), "*.tar.zst");
            records.addAll(files(build.resolve("stashes"), "*.tar.{zst,gz}"));
            for (Path record : records) {
                Path list = StoredRecord.listOf(record);
                lists.removeIf(each -> list != null && each.endsWith(list.getFileName()));
            }
        }
        return take(lists);
    }

    /**
     * Takes objects of a build.
     *
     * @return the lists, now in this journal
     */
    public List<Path> take(List<Path> lists) throws IOException {
        List<Path> taken = new ArrayList<>();
        for (Path list : lists) {
            Path entry = folder.resolve(list.getFileName() + COMPLETE);
            RUNNING.add(entry.getFileName()); // another file system gets a copy, which is incomplete at first
            try {
                Files.move(list, entry, StandardCopyOption.REPLACE_EXISTING);
                taken.add(entry);
            } catch (NoSuchFileException e) {
                LOGGER.log(Level.FINE, e, () -> list + " was taken meanwhile");
            } finally {
                RUNNING.remove(entry.getFileName());
            }
        }
        return taken;
    }

    /**
     * Adds lists that were deleted with their builds.
     *
     * @param lists lines by the names of the lists
     */
    public List<Path> add(Map<String, List<String>> lists) throws IOException {
        List<Path> added = new ArrayList<>();
        for (Map.Entry<String, List<String>> list : lists.entrySet()) {
            added.add(Files.write(folder.resolve(list.getKey() + COMPLETE), list.getValue()));
        }
        return added;
    }

    /** Returns the lines of all lists, among them the keys of running uploads and of objects that are to be deleted. */
    public Set<String> lines() throws IOException {
        Set<String> lines = new HashSet<>();
        for (Path list : files(folder, "*")) {
            try {
                lines.addAll(Files.readAllLines(list));
            } catch (NoSuchFileException e) {
                // the upload has ended
            }
        }
        return lines;
    }

    /** Deletes the objects of all lists. */
    public void clean() {
        try {
            clean(files(folder, "*"));
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, e, () -> "Cannot read " + folder);
        }
    }

    /**
     * Deletes the objects of lists in this journal, except of running uploads. A list stays until its store has deleted all of them, and half an hour has passed
     * since the end of its upload. Failures are logged.
     */
    public void clean(Collection<Path> lists) {
        Map<StoreLocation, Map<Path, List<String>>> byStore = new HashMap<>();
        for (Path list : lists) {
            try {
                if (!RUNNING.contains(list.getFileName())) {
                    List<String> lines = Files.readAllLines(list);
                    StoreLocation store = StoreLocation.parse(lines.isEmpty() ? "" : lines.get(0));
                    byStore.computeIfAbsent(store, any -> new HashMap<>()).put(list, lines.subList(1, lines.size()));
                    if (!list.toString().endsWith(COMPLETE) && ENDED.add(list.getFileName())) {
                        touch(list); // an agent may not know yet that the controller was killed
                    }
                }
            } catch (NoSuchFileException e) {
                // a build owns its objects, or they were deleted
            } catch (FileSystemException e) {
                LOGGER.log(Level.WARNING, e, () -> "Cannot read " + list);
            } catch (IOException e) { // after a power loss
                LOGGER.log(Level.WARNING, e, () -> "Deleting " + list + ", which is damaged: objects may remain");
                delete(list);
            }
        }
        byStore.forEach(this::clean);
    }

    private void clean(StoreLocation location, Map<Path, List<String>> lists) {
        List<String> keys = new ArrayList<>();
        lists.values().forEach(keys::addAll);
        try {
            ObjectStore store = stores.of(location);
            for (Map.Entry<Path, List<String>> list : lists.entrySet()) {
                if (!list.getKey().toString().endsWith(COMPLETE)) {
                    for (String key : list.getValue()) {
                        store.abort(key);
                    }
                }
            }
            store.delete(keys);
        } catch (NoSuchFileException e) {
            String bucket = location.name();
            LOGGER.log(Level.WARNING, "The bucket {0} does not exist, and its objects need no deletion", bucket);
        } catch (IOException | RuntimeException e) {
            LOGGER.log(Level.WARNING, e, () -> "Objects in a store are deleted later: " + keys.size());
            return;
        }
        lists.keySet().forEach(StoreJournal::delete);
    }

    /** Deletes a list, unless its upload ended recently. */
    private static void delete(Path list) {
        try {
            if (Files.getLastModifiedTime(list).toInstant().isBefore(Instant.now().minus(LATE))) {
                Files.delete(list);
                ENDED.remove(list.getFileName());
            }
        } catch (NoSuchFileException e) {
            // by another thread
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, e, () -> "Cannot delete " + list);
        }
    }
}
