package io.jenkins.plugins.compressionaware.store;

import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.packed.PackedArchive;
import java.io.IOException;
import java.io.InvalidObjectException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
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
 *
 * @param folder exists
 */
@Restricted(NoExternalUse.class)
public record StoreJournal(Path folder, Stores stores) {
    private static final Logger LOGGER = Logger.getLogger(StoreJournal.class.getName());

    /** Names of the lists in use in this JVM. */
    private static final Set<Path> RUNNING = ConcurrentHashMap.newKeySet();

    /** Names of the lists in the journal whose uploads ended in this JVM, or were found by it. */
    private static final Set<Path> ENDED = ConcurrentHashMap.newKeySet();

    /** The lists in the journal whose objects are to be deleted at once. */
    private static final Set<Path> PENDING = ConcurrentHashMap.newKeySet();

    /** Ends the name of a list whose upload is complete. */
    private static final String COMPLETE = ".complete";

    /** An agent may still use a signature, or end a request, for so long after the end of its upload. */
    private static final Duration LATE = Duration.ofMinutes(30);

    /** A reader may use an object for so long after its record was replaced, that is, as long as its signature is valid. */
    public static final Duration READERS = Duration.ofHours(6);

    @FunctionalInterface
    interface Stores {
        ObjectStore of(StoreLocation location) throws IOException;
    }

    public StoreJournal(Path folder) {
        this(folder, ObjectStores::of);
    }

    /** An upload that runs until {@link #end}. */
    record Upload(Path list) {
        Upload {
            RUNNING.add(list.getFileName());
        }

        /** Adds an object. Must be called before the first request for it. */
        void add(String key) throws IOException {
            Files.write(list, List.of(key), StandardOpenOption.APPEND, StandardOpenOption.SYNC);
        }

        /** Gives the objects to a build. Must be called before their record is saved, so that the journal has no object that a record names. */
        void commit(Path build) throws IOException {
            Path owned = build.resolve(StoredRecord.LISTS);
            try {
                Files.createDirectory(owned); // not its parents, because the build may have been deleted
            } catch (FileAlreadyExistsException e) {
                // by an earlier upload
            }
            Path moved = Files.move(list, owned.resolve(list.getFileName()));
            // forces a copy on another file system
            Files.write(moved, Files.readAllLines(moved), StandardOpenOption.WRITE, StandardOpenOption.SYNC);
        }

        void end() {
            try {
                touch(list, Duration.ZERO);
                ENDED.add(list.getFileName());
                PENDING.add(list);
            } catch (IOException e) { // a build may own the objects now
                LOGGER.log(Level.FINE, e, () -> "Cannot touch " + list);
            }
            RUNNING.remove(list.getFileName());
        }
    }

    /** Sets the time from which on the objects of a list may be deleted. */
    private static void touch(Path list, Duration delay) throws IOException {
        Files.setLastModifiedTime(list, FileTime.from(Instant.now().plus(delay)));
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
            List<String> lines = List.of(location.describe(), key);
            Files.write(upload.list, lines, StandardOpenOption.CREATE_NEW, StandardOpenOption.SYNC);
            return upload;
        } catch (IOException | RuntimeException e) {
            upload.end();
            throw e;
        }
    }

    public static List<Path> listsOf(Path build) throws IOException {
        return files(build.resolve(StoredRecord.LISTS), "*");
    }

    /** Returns the files in a folder, which need not exist. */
    public static List<Path> files(Path folder, String glob) throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, glob)) {
            files.forEach(found::add);
        } catch (NoSuchFileException | NotDirectoryException e) { // such as builds/permalinks
            LOGGER.log(Level.FINEST, e, () -> folder + " does not exist");
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return found;
    }

    /** Returns the lines of a list; none if it was taken meanwhile. */
    public static List<String> lines(Path list) throws IOException {
        try {
            return Files.readAllLines(list);
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    /** Returns the lists of those objects of a build that no record names. */
    public static List<Path> unusedOf(Path build) throws IOException {
        // in this order: a list, if its upload has ended by now, had its record before
        List<Path> lists = listsOf(build);
        lists.removeIf(list -> RUNNING.contains(list.getFileName()));
        if (!lists.isEmpty()) {
            List<Path> records = files(build.resolve("archive").resolve(PackedArchive.FOLDER), "*");
            records.removeIf(record -> Files.isSymbolicLink(record)
                    || !String.valueOf(record.getFileName()).matches("[0-9]+\\.tar\\.zst"));
            records.addAll(files(build.resolve("stashes"), "*.tar.{zst,gz}"));
            for (Path record : records) {
                try {
                    Path list = StoredRecord.listOf(record);
                    if (Files.size(record) == 0) {
                        throw new IOException(record + " is empty, as after a power loss");
                    }
                    lists.removeIf(each -> list != null && each.endsWith(list.getFileName()));
                } catch (NoSuchFileException e) {
                    // replaced meanwhile
                }
            }
        }
        return lists;
    }

    /** Takes objects of a build, to delete them after a delay. */
    public void take(List<Path> lists, Duration delay) throws IOException {
        for (Path list : lists) {
            add(String.valueOf(list.getFileName()), lines(list), delay);
            Files.deleteIfExists(list);
        }
    }

    /** Adds the lines of a list. */
    public void add(String name, List<String> lines, Duration delay) throws IOException {
        Path entry = folder.resolve(name + COMPLETE);
        RUNNING.add(entry.getFileName()); // incomplete at first
        try {
            if (!lines.isEmpty()) {
                Files.write(entry, lines, StandardOpenOption.CREATE, StandardOpenOption.SYNC);
                touch(entry, delay);
            }
        } finally {
            RUNNING.remove(entry.getFileName());
        }
        if (delay.isZero()) {
            PENDING.add(entry);
        }
    }

    /** Returns the lines of all lists, among them the keys of running uploads and of objects that are to be deleted. */
    public Set<String> lines() throws IOException {
        Set<String> lines = new HashSet<>();
        for (Path list : files(folder, "*")) {
            lines.addAll(lines(list));
        }
        return lines;
    }

    /** Deletes the objects of failed uploads and of deleted builds, if no earlier call did. */
    public void cleanPending() {
        List<Path> lists = List.copyOf(PENDING);
        PENDING.removeAll(lists);
        clean(lists);
    }

    /** Deletes the objects of all lists. */
    public void clean() {
        PENDING.clear(); // which remain after a refused thread
        try {
            clean(files(folder, "*"));
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, e, () -> "Cannot read " + folder);
        }
    }

    /**
     * Deletes the objects of lists in this journal, except of running uploads, and of those that readers may use. A list stays until its store has deleted all of
     * them, and half an hour has passed since the end of its upload. Failures are logged.
     */
    private void clean(List<Path> lists) {
        Map<StoreLocation, Map<Path, List<String>>> byStore = new HashMap<>();
        for (Path list : lists) {
            try {
                if (!RUNNING.contains(list.getFileName()) && isOlder(list, Duration.ZERO)) {
                    List<String> lines = Files.readAllLines(list);
                    StoreLocation store = StoreLocation.parse(lines.isEmpty() ? "" : lines.get(0));
                    byStore.computeIfAbsent(store, any -> new HashMap<>()).put(list, lines.subList(1, lines.size()));
                    if (!list.toString().endsWith(COMPLETE) && ENDED.add(list.getFileName())) {
                        touch(list, Duration.ZERO); // an agent may not know yet that the controller was killed
                    }
                }
            } catch (NoSuchFileException e) {
                // a build owns its objects, or they were deleted
            } catch (CharacterCodingException | InvalidObjectException e) { // after a power loss
                LOGGER.log(Level.WARNING, e, () -> "Deleting " + list + ", which is damaged: objects may remain");
                delete(list);
            } catch (IOException e) {
                LOGGER.log(Level.WARNING, e, () -> "Cannot read " + list);
            }
        }
        byStore.forEach(this::clean);
    }

    private static boolean isOlder(Path list, Duration age) throws IOException {
        return Files.getLastModifiedTime(list)
                        .compareTo(FileTime.from(Instant.now().minus(age)))
                <= 0;
    }

    private void clean(StoreLocation location, Map<Path, List<String>> lists) {
        List<String> keys = new ArrayList<>();
        lists.values().forEach(keys::addAll);
        Map<String, String> failed = new HashMap<>();
        try {
            ObjectStore store = stores.of(location);
            failed.putAll(store.tryDelete(keys)); // first, because it fails if the store does not respond
            for (Map.Entry<Path, List<String>> list : lists.entrySet()) {
                for (String key : list.getKey().toString().endsWith(COMPLETE) ? List.<String>of() : list.getValue()) {
                    try {
                        store.abort(key);
                    } catch (IOException e) {
                        failed.put(key, e.getMessage());
                    }
                }
            }
        } catch (NoSuchFileException e) {
            String bucket = location.name();
            LOGGER.log(Level.WARNING, "The bucket {0} does not exist, and its objects need no deletion", bucket);
        } catch (IOException | RuntimeException e) {
            LOGGER.log(Level.WARNING, e, () -> "Objects in a store are deleted later: " + keys.size());
            return;
        }
        failed.values().stream()
                .limit(1)
                .forEach(first ->
                        LOGGER.warning("Objects in a store are deleted later: " + failed.size() + ". " + first));
        lists.values().removeIf(ofList -> !Collections.disjoint(ofList, failed.keySet()));
        lists.keySet().forEach(StoreJournal::delete);
    }

    /** Deletes a list, unless its upload ended recently. */
    private static void delete(Path list) {
        try {
            if (isOlder(list, LATE)) {
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
