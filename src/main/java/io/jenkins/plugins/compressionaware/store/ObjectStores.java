package io.jenkins.plugins.compressionaware.store;

import hudson.init.InitMilestone;
import hudson.init.Initializer;
import io.jenkins.plugins.compressionaware.engine.framefile.RangeReader;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.store.ObjectReader;
import io.jenkins.plugins.compressionaware.engine.store.ObjectReaders;
import io.jenkins.plugins.compressionaware.engine.store.SignedRequest;
import io.jenkins.plugins.compressionaware.engine.store.StoreFailure;
import io.jenkins.plugins.compressionaware.engine.store.StoreLimits;
import io.jenkins.plugins.compressionaware.engine.store.StoredObject;
import io.jenkins.plugins.compressionaware.engine.tar.SelectedFiles;
import java.io.Closeable;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.Stapler;

/** The open stores of this controller. Each has one client, because creating it takes a second. Thread-safe. */
@Restricted(NoExternalUse.class)
public final class ObjectStores {
    /** All ranges of a download use one signature. */
    private static final Duration FOR_TRANSFERS = Duration.ofHours(6);

    /** A browser begins at once. */
    private static final Duration FOR_BROWSERS = Duration.ofMinutes(10);

    /** The thread of a web request waits for the store. */
    private static final StoreLimits FOR_PAGES = new StoreLimits(15_000, 4, 250, System::nanoTime);

    private static final Map<StoreLocation, ObjectStore> OPEN = new ConcurrentHashMap<>();

    private ObjectStores() {}

    /** Lets packed archives and stashes open their objects. */
    @Initializer(before = InitMilestone.JOB_LOADED)
    public static void register() {
        StoreFailure.onController();
        StoredRecord.setOpener(ObjectStores::open);
    }

    /** No lock is held while a store is opened, because the SDK may wait for a service of the machine. */
    public static ObjectStore of(StoreLocation location) throws IOException {
        try {
            if (!OPEN.containsKey(location)) {
                ObjectStore opened = ObjectStore.open(location);
                if (OPEN.putIfAbsent(location, opened) != null) {
                    opened.close();
                }
            }
            return OPEN.get(location);
        } catch (LinkageError e) {
            throw new IOException("The store needs the plugins aws-credentials and aws-java-sdk2-s3: " + e, e);
        }
    }

    private static RangeReader open(Path file, StoredRecord record) throws IOException {
        StoreLimits limits = Stapler.getCurrentRequest2() == null ? StoreLimits.DEFAULT : FOR_PAGES;
        ObjectReader object = new ObjectReader(() -> sign(record), record.length(), record.tag(), limits);
        return new StoredObject(StoreLocation.parse(record.store()).nameOf(record.key()), object);
    }

    private static SignedRequest sign(StoredRecord record) throws IOException {
        return of(StoreLocation.parse(record.store())).signGet(record.key(), FOR_TRANSFERS, null);
    }

    /**
     * Signs the requests that read any range of an object and of the objects of its single files. Must be closed at the end of a transfer, because an agent may
     * keep it.
     */
    public static final class Reading implements ObjectReaders.Signer, Closeable {
        private volatile StoredRecord object;

        public Reading(StoredRecord object) {
            this.object = object;
        }

        private StoredRecord record(String key) throws IOException {
            StoredRecord current = object;
            if (current == null) {
                throw new IOException("The transfer is over");
            }
            return key.equals(current.key()) ? current : current.ofFile(key);
        }

        @Override
        public SignedRequest sign(String key) throws IOException {
            return ObjectStores.sign(record(key));
        }

        /** Returns the object with the frames, and the objects of selected files. Fails if the record lacks one, because the index is forged. */
        public ArrayList<ObjectReaders.Stored> objects(SelectedFiles selected) throws IOException {
            Map<String, StoredRecord> files = new HashMap<>();
            object.files().forEach(file -> files.put(file.key(), file));
            ArrayList<ObjectReaders.Stored> objects = new ArrayList<>();
            objects.add(describe(object));
            for (SelectedFiles.OwnObject each : selected.objects()) {
                StoredRecord file = files.get(each.key());
                long length = selected.length(objects.size() - 1);
                if (file == null || file.length() != length) {
                    throw new IOException(
                            "There is no record of the object " + each.key() + " with " + length + " bytes");
                }
                objects.add(describe(file));
            }
            return objects;
        }

        private static ObjectReaders.Stored describe(StoredRecord stored) {
            return new ObjectReaders.Stored(stored.key(), stored.length(), stored.tag());
        }

        @Override
        public void close() {
            object = null;
        }
    }

    /** Returns a URL from which a browser can download an object. */
    public static URL url(StoredRecord record) throws IOException {
        // a file must not run scripts where a store has the same origin as Jenkins
        return new URL(of(StoreLocation.parse(record.store()))
                .signGet(record.key(), FOR_BROWSERS, "attachment")
                .url());
    }
}
