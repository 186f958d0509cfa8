package io.jenkins.plugins.compressionaware.store;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import hudson.init.InitMilestone;
import hudson.init.Initializer;
import io.jenkins.plugins.compressionaware.engine.framefile.RangeReader;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.store.ObjectReader;
import io.jenkins.plugins.compressionaware.engine.store.SignedRequest;
import io.jenkins.plugins.compressionaware.engine.store.StoreLimits;
import io.jenkins.plugins.compressionaware.engine.store.StoredObject;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** The open stores of this controller. Each has one client, because creating it takes a second. Thread-safe. */
@Restricted(NoExternalUse.class)
public final class ObjectStores {
    /** All ranges of a download use one signature. */
    private static final Duration FOR_TRANSFERS = Duration.ofHours(6);

    /** A browser begins at once. */
    private static final Duration FOR_BROWSERS = Duration.ofMinutes(10);

    /** The thread of a web request waits for the store. */
    private static final StoreLimits FOR_PAGES = new StoreLimits(15_000, 4, 250, System::nanoTime);

    @GuardedBy("ObjectStores.class")
    private static final Map<StoreLocation, ObjectStore> OPEN = new HashMap<>();

    private ObjectStores() {}

    /** Lets packed archives and stashes open their objects. */
    @Initializer(before = InitMilestone.JOB_LOADED)
    public static void register() {
        StoredRecord.setOpener(ObjectStores::open);
    }

    public static synchronized ObjectStore of(StoreLocation location) throws IOException {
        try {
            ObjectStore known = OPEN.get(location);
            if (known == null) {
                known = ObjectStore.open(location);
                OPEN.put(location, known);
            }
            return known;
        } catch (LinkageError e) {
            throw new IOException("The store needs the plugins aws-credentials and aws-java-sdk2-s3: " + e, e);
        }
    }

    private static RangeReader open(Path file, StoredRecord record) throws IOException {
        ObjectReader object = new ObjectReader(() -> sign(record), record.length(), record.tag(), FOR_PAGES);
        return new StoredObject(StoreLocation.parse(record.store()).nameOf(record.key()), record, object);
    }

    /** Signs the request that reads any range of an object. */
    public static SignedRequest sign(StoredRecord record) throws IOException {
        return of(StoreLocation.parse(record.store())).signGet(record.key(), FOR_TRANSFERS, null);
    }

    /** Returns a URL from which a browser can download an object. */
    public static URL url(StoredRecord record) throws IOException {
        // a file must not run scripts where a store has the same origin as Jenkins
        return new URL(of(StoreLocation.parse(record.store()))
                .signGet(record.key(), FOR_BROWSERS, "attachment")
                .url());
    }
}
