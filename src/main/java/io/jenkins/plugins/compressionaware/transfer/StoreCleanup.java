package io.jenkins.plugins.compressionaware.transfer;

import hudson.Extension;
import hudson.model.Computer;
import hudson.model.Item;
import hudson.model.Job;
import hudson.model.Run;
import hudson.model.listeners.ItemListener;
import hudson.model.listeners.RunListener;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import io.jenkins.plugins.compressionaware.report.DelayedExecutor;
import io.jenkins.plugins.compressionaware.store.StoreJournal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Deletes objects from stores: those of deleted builds and stashes, and those of uploads that did not end. After a failure, it tries again hourly. */
@Extension
@Restricted(NoExternalUse.class)
public final class StoreCleanup extends RunListener<Run<?, ?>> {
    private static final Logger LOGGER = Logger.getLogger(StoreCleanup.class.getName());

    /** Seconds between attempts. */
    private static final int RETRY = 60 * 60;

    /** Between searches of all builds for objects that no record names, because Jenkins deletes artifacts without notice. */
    private static final long SEARCH_NANOS = TimeUnit.DAYS.toNanos(1);

    /** Returns the journal of this controller. */
    public static StoreJournal journal() {
        return new StoreJournal(StartupCleanup.homeFolder("store"));
    }

    /** Called before the build's folder is deleted. */
    @Override
    public void onDeleted(Run<?, ?> build) {
        attempt(build, () -> clean(journal().take(StoreJournal.listsOf(build.getRootDir().toPath()))));
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
        /** The lines of each list by its name, for jobs whose deletion was attempted. */
        private final Map<Item, Map<String, List<String>>> deleting = Collections.synchronizedMap(new WeakHashMap<>());

        @Override
        public void onLoaded() {
            repeat(StartupCleanup.CLEANUP_DELAY, System.nanoTime() - SEARCH_NANOS);
        }

        /** Remembers the objects of a job that may be deleted soon, because Jenkins deletes its builds without notice. */
        @Override
        public void onCheckDelete(Item item) {
            if (item instanceof Job<?, ?> job) {
                attempt(job, () -> {
                    for (Path build : StoreJournal.buildsOf(job.getBuildDir().toPath())) {
                        for (Path list : StoreJournal.listsOf(build)) {
                            deleting.computeIfAbsent(job, any -> new ConcurrentHashMap<>())
                                    .put(String.valueOf(list.getFileName()), Files.readAllLines(list));
                        }
                    }
                });
            }
        }

        @Override
        public void onDeleted(Item item) {
            Map<String, List<String>> lists = deleting.remove(item);
            if (lists != null) {
                attempt(item, () -> clean(journal().add(lists)));
            }
        }
    }

    /**
     * Deletes those objects of a build that no record names. Must be called after records were deleted or replaced. Failures are logged.
     *
     * @param ended lists of uploads that have ended; a build may own them
     */
    public static void deleteUnused(Path build, Path... ended) {
        attempt(build, () -> {
            List<Path> lists = new ArrayList<>(List.of(ended));
            if (Files.exists(build.resolve(StoredRecord.LISTS))) {
                lists.addAll(journal().takeUnused(build));
            }
            clean(lists);
        });
    }

    /** Deletes the objects of lists in the journal on another thread, now and later. */
    private static void clean(List<Path> lists) {
        if (!lists.isEmpty()) {
            Tasks.begin(Computer.threadPoolForRemoting, () -> journal().clean(lists));
        }
    }

    private static void repeat(int seconds, long searched) {
        DelayedExecutor.schedule(
                seconds,
                () -> {
                    boolean search = System.nanoTime() - searched >= SEARCH_NANOS;
                    try {
                        if (search) {
                            searchBuilds();
                        }
                        journal().clean();
                    } finally {
                        repeat(RETRY, search ? System.nanoTime() : searched);
                    }
                },
                () -> {});
    }

    /** Takes the objects of all builds that no record names. */
    static void searchBuilds() {
        for (Job<?, ?> job : Jenkins.get().allItems(Job.class)) {
            attempt(job, () -> {
                for (Path build : StoreJournal.buildsOf(job.getBuildDir().toPath())) {
                    attempt(build, () -> journal().takeUnused(build));
                }
            });
        }
    }
}
