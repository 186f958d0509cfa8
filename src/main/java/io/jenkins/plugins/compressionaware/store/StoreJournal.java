package io.jenkins.plugins.compressionaware.store;

import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Objects that are to be deleted from stores: those of deleted builds, and those of uploads that did not end. An entry is a file, and remains until its store
 * has deleted all of its objects, however often that fails. Thread-safe.
 */
@Restricted(NoExternalUse.class)
public final class StoreJournal {
    private static final Logger LOGGER = Logger.getLogger(StoreJournal.class.getName());

    /** Entries of uploads that run in this JVM. */
    private static final Set<Path> RUNNING = ConcurrentHashMap.newKeySet();

    /** Entries of uploads that began in this JVM. */
    private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

    /** Another controller may still work in the same home for so long after the start of this one. */
    private static final Duration START = Duration.ofMinutes(15);

    private static final AtomicBoolean CLEANING = new AtomicBoolean();
    private static final String UPLOAD = ".upload";

    /** An agent may still use a signature, or end a request, for so long after its upload has failed. */
    private static final Duration LATE = Duration.ofMinutes(30);

    private final Path folder;
    private final Stores stores;
    private final LongSupplier uptime;

    /** Finds a store. */
    @FunctionalInterface
    interface Stores {
        ObjectStore of(StoreLocation location) throws IOException;
    }

    /** @param folder exists */
    public StoreJournal(Path folder) {
        this(folder, ObjectStores::of, ManagementFactory.getRuntimeMXBean()::getUptime);
    }

    /** @param uptime milliseconds since the start of this controller */
    StoreJournal(Path folder, Stores stores, LongSupplier uptime) {
        this.folder = folder;
        this.stores = stores;
        this.uptime = uptime;
    }

    /** An upload that has begun. Closing it before {@link #commit} makes its object one to delete. */
    public final class Upload implements Closeable {
        private final Path entry;

        private Upload(Path entry) {
            this.entry = entry;
        }

        /** Adds an object. Must be called before the first request for it. */
        void add(String key) throws IOException {
            Files.write(entry, List.of(key), StandardOpenOption.APPEND);
        }

        /** Ends the upload, whose object is to be kept. */
        public void commit() throws IOException {
            Files.delete(entry);
            OWN.remove(entry);
        }

        @Override
        public void close() {
            try {
                // when the upload ended, unless it was committed
                Files.setLastModifiedTime(entry, FileTime.from(Instant.now()));
            } catch (IOException e) {
                LOGGER.log(Level.FINE, e, () -> "Cannot touch " + entry);
            }
            RUNNING.remove(entry);
        }
    }

    /**
     * Begins an upload. Must be called before the first request to the store.
     *
     * @param records folder in which the record of the object will be, before {@link Upload#commit}
     */
    public Upload begin(StoreLocation location, String key, Path records) throws IOException {
        Path entry = newEntry(UPLOAD);
        RUNNING.add(entry);
        OWN.add(entry);
        try {
            write(entry, location, List.of(records.toString(), key));
        } catch (IOException | RuntimeException e) {
            RUNNING.remove(entry);
            throw e;
        }
        return new Upload(entry);
    }

    /** Adds objects to delete. */
    public void add(StoreLocation location, Collection<String> keys) throws IOException {
        write(newEntry(""), location, keys);
    }

    private Path newEntry(String suffix) {
        return folder.resolve(UUID.randomUUID() + suffix);
    }

    private static void write(Path entry, StoreLocation location, Collection<String> keys) throws IOException {
        List<String> lines = new ArrayList<>(List.of(location.describe()));
        lines.addAll(keys);
        Path partial = entry.resolveSibling(entry.getFileName() + ".new");
        Files.write(partial, lines);
        Files.move(partial, entry);
    }

    /** Returns the keys of running uploads, and of objects that are to be deleted. */
    public Set<String> keys() throws IOException {
        Set<String> keys = new HashSet<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            for (Path entry : entries) {
                try {
                    keys.addAll(Files.readAllLines(entry));
                } catch (NoSuchFileException e) {
                    // it has ended
                }
            }
        }
        return keys;
    }

    /**
     * Deletes all objects of all entries but running uploads. Failures are logged, and repeated by the next call. The objects of an upload that has just failed
     * are deleted once more by a later call.
     *
     * @return whether nothing is left to do
     */
    public boolean clean() {
        if (!CLEANING.compareAndSet(false, true)) {
            return false;
        }
        try {
            return cleanAll();
        } finally {
            CLEANING.set(false);
        }
    }

    private boolean cleanAll() {
        boolean complete = true;
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            for (Path entry : entries) {
                if (!RUNNING.contains(entry) && !entry.toString().endsWith(".new")) {
                    complete &= !isOfAnother(entry) && clean(entry);
                }
            }
        } catch (NoSuchFileException e) {
            return true;
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, e, () -> "Cannot read " + folder);
            return false;
        }
        return complete;
    }

    /** Returns whether another controller may still be working in this home, with an upload that is not in this JVM. */
    private boolean isOfAnother(Path entry) {
        return entry.toString().endsWith(UPLOAD)
                && !OWN.contains(entry)
                && uptime.getAsLong() < START.toMillis();
    }

    private boolean clean(Path entry) {
        boolean isUpload = entry.toString().endsWith(UPLOAD);
        try {
            List<String> lines = Files.readAllLines(entry);
            if (lines.size() < (isUpload ? 3 : 2)) {
                LOGGER.log(Level.WARNING, "Deletes {0}, which is damaged. Objects may remain in a store", entry);
                Files.deleteIfExists(entry);
                return true;
            }
            List<String> keys = lines.subList(isUpload ? 2 : 1, lines.size());
            if (isUpload
                    && isRecorded(Path.of(lines.get(1)), keys.get(0))) { // Jenkins was killed just before the commit
                Files.deleteIfExists(entry);
                return true;
            }
            ObjectStore store = stores.of(StoreLocation.parse(lines.get(0)));
            for (String key : isUpload ? keys : List.<String>of()) {
                store.abort(key);
            }
            store.delete(keys);
            if (isUpload && Files.getLastModifiedTime(entry).toInstant().isAfter(Instant.now().minus(LATE))) {
                return false;
            }
            Files.deleteIfExists(entry);
            return true;
        } catch (NoSuchFileException e) { // the upload was committed
            return true;
        } catch (IOException | RuntimeException e) {
            LOGGER.log(Level.WARNING, "Objects in a store are deleted later: {0}", e.getMessage());
            return false;
        }
    }

    private static boolean isRecorded(Path records, String key) throws IOException {
        return StoredRecord.in(records).stream().anyMatch(record -> record.key().equals(key));
    }
}
