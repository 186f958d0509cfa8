package io.jenkins.plugins.compressionaware.transfer;

import hudson.Extension;
import hudson.model.Computer;
import hudson.model.Item;
import hudson.model.Job;
import hudson.model.Run;
import hudson.model.listeners.ItemListener;
import hudson.model.listeners.RunListener;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.packed.PackedArchive;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import io.jenkins.plugins.compressionaware.report.DelayedExecutor;
import io.jenkins.plugins.compressionaware.store.StoreJournal;
import io.jenkins.plugins.compressionaware.store.StoreLocation;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Deletes objects from stores: those of deleted builds and stashes, and those of uploads that did not end. After a failure, it tries again hourly. */
@Extension
@Restricted(NoExternalUse.class)
public final class StoreCleanup extends RunListener<Run<?, ?>> {
    private static final Logger LOGGER = Logger.getLogger(StoreCleanup.class.getName());

    /** Seconds between attempts. */
    private static final int RETRY = 60 * 60;

    private static final AtomicBoolean RETRYING = new AtomicBoolean();

    /** Returns the journal of this controller. */
    public static StoreJournal journal() {
        return new StoreJournal(StartupCleanup.homeFolder("store"));
    }

    /** Called before the build's folder is deleted. */
    @Override
    public void onDeleted(Run<?, ?> build) {
        attempt(build, () -> delete(recordsOf(build.getRootDir().toPath())));
    }

    private interface Action {
        void run() throws IOException;
    }

    private static void attempt(Object owner, Action action) {
        try {
            action.run();
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, e, () -> "Objects of " + owner + " remain in their store");
        }
    }

    /** Starts the clean-up with Jenkins, and deletes the objects of deleted jobs. */
    @Extension
    public static final class Items extends ItemListener {
        private final Map<Item, List<StoredRecord>> deleting = Collections.synchronizedMap(new WeakHashMap<>());

        @Override
        public void onLoaded() {
            DelayedExecutor.schedule(StartupCleanup.CLEANUP_DELAY, StoreCleanup::cleanNow, () -> {});
        }

        /** Remembers the objects of a job that may be deleted soon, because Jenkins deletes its builds without notice. */
        @Override
        public void onCheckDelete(Item item) {
            if (item instanceof Job<?, ?> job) {
                attempt(
                        job, () -> deleting.put(job, recordsOfBuilds(job.getBuildDir().toPath())));
            }
        }

        @Override
        public void onDeleted(Item item) {
            List<StoredRecord> records = deleting.remove(item);
            attempt(item, () -> delete(records == null ? List.of() : records));
        }
    }

    /**
     * Returns the records of all builds of a job.
     *
     * @param builds folder of the builds; need not exist
     */
    public static List<StoredRecord> recordsOfBuilds(Path builds) throws IOException {
        List<StoredRecord> records = new ArrayList<>();
        if (Files.exists(builds)) {
            try (DirectoryStream<Path> all = Files.newDirectoryStream(builds, Files::isDirectory)) {
                for (Path build : all) {
                    records.addAll(recordsOf(build));
                }
            }
        }
        return records;
    }

    private static List<StoredRecord> recordsOf(Path build) throws IOException {
        List<StoredRecord> records = StoredRecord.in(build.resolve("archive").resolve(PackedArchive.FOLDER));
        records.addAll(StoredRecord.in(build.resolve("stashes")));
        return records;
    }

    /** Deletes objects, now or later. */
    public static void delete(List<StoredRecord> records) throws IOException {
        Map<String, List<StoredRecord>> byStore = records.stream().collect(Collectors.groupingBy(StoredRecord::store));
        for (Map.Entry<String, List<StoredRecord>> each : byStore.entrySet()) {
            journal()
                    .add(
                            StoreLocation.parse(each.getKey()),
                            each.getValue().stream().map(StoredRecord::key).toList());
        }
        if (!records.isEmpty()) {
            clean();
        }
    }

    /** Deletes what the journal lists, on another thread. */
    static void clean() {
        Tasks.begin(Computer.threadPoolForRemoting, StoreCleanup::cleanNow);
    }

    static void cleanNow() {
        if (!journal().clean() && RETRYING.compareAndSet(false, true)) {
            DelayedExecutor.schedule(
                    RETRY,
                    () -> {
                        RETRYING.set(false);
                        cleanNow();
                    },
                    () -> RETRYING.set(false));
        }
    }
}
