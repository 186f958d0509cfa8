package io.jenkins.plugins.compressionaware.transfer;

import hudson.Extension;
import hudson.model.Computer;
import hudson.model.Item;
import hudson.model.ItemGroup;
import hudson.model.Items;
import hudson.model.Job;
import hudson.model.PeriodicWork;
import hudson.model.Run;
import hudson.model.listeners.ItemListener;
import hudson.model.listeners.RunListener;
import hudson.security.ACL;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import io.jenkins.plugins.compressionaware.store.StoreJournal;
import io.jenkins.plugins.compressionaware.store.UploadSession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import jenkins.model.Jenkins;
import jenkins.util.AtmostOneTaskExecutor;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Deletes objects from stores: those of deleted builds and stashes, and those of uploads that did not end. After a failure, it tries again hourly. */
@Extension
@Restricted(NoExternalUse.class)
public final class StoreCleanup extends RunListener<Run<?, ?>> {
    private static final Logger LOGGER = Logger.getLogger(StoreCleanup.class.getName());

    /** Name of the journal's folder. */
    private static final String JOURNAL = "store";

    /** Deletes the objects of many builds at a time. If no thread is available, the hourly work deletes them. */
    private static final AtmostOneTaskExecutor<Void> DELETION =
            new AtmostOneTaskExecutor<>(Computer.threadPoolForRemoting, () -> {
                journal().cleanPending();
                return null;
            });

    /** The lists that the last search found unused. */
    private static volatile Set<Path> unused = Set.of();

    /** Returns the journal of this controller, and creates its folder. */
    public static StoreJournal journal() {
        return new StoreJournal(StartupCleanup.homeFolder(JOURNAL));
    }

    /** Called before the build's folder is deleted. */
    @Override
    public void onDeleted(Run<?, ?> build) {
        attempt(build, () -> take(StoreJournal.listsOf(build.getRootDir().toPath()), Duration.ZERO));
    }

    /** An action that may fail. */
    public interface Action {
        void run() throws IOException;
    }

    private static void attempt(Object owner, Action action) {
        try {
            action.run();
        } catch (IOException e) {
            LOGGER.log(Level.WARNING, e, () -> "Objects of " + owner + " remain in their store");
        }
    }

    private static void take(List<Path> lists, Duration delay) throws IOException {
        if (!lists.isEmpty()) {
            journal().take(lists, delay);
            deletePending();
        }
    }

    /** Starts the deletion of objects that nothing reads. */
    private static void deletePending() {
        Tasks.begin(any -> DELETION.submit(), () -> {});
    }

    /** Remembers the objects that a build has archived since the deletion of its job began, which waits for its end. */
    @Override
    public void onFinalized(Run<?, ?> build) {
        Job<?, ?> job = build.getParent();
        Item item = job.getParent() instanceof Job<?, ?> matrix ? matrix : job;
        if (Jobs.DELETING.containsKey(item)) {
            Jobs.remember(build.getRootDir().toPath(), item);
        }
    }

    /** Deletes the objects of deleted jobs. */
    @Extension
    public static final class Jobs extends ItemListener {
        /** The lines of each list by its name, for jobs whose deletion was attempted. */
        private static final Map<Item, Map<String, List<String>>> DELETING =
                Collections.synchronizedMap(new WeakHashMap<>());

        /** Remembers the objects of a job that may be deleted soon, because Jenkins deletes its builds without notice. */
        @Override
        public void onCheckDelete(Item item) {
            if (item instanceof Job<?, ?> job) {
                DELETING.computeIfAbsent(item, any -> new ConcurrentHashMap<>());
                rememberAll(job.getBuildDir().toPath(), item);
                attempt(
                        item,
                        () -> { // promotions are no items
                            for (Path process :
                                    StoreJournal.files(job.getRootDir().toPath().resolve("promotions"), "*")) {
                                rememberAll(process.resolve("builds"), item);
                            }
                        });
                if (item instanceof ItemGroup<?> matrix) { // whose jobs are deleted without notice, too
                    Items.allItems2(ACL.SYSTEM2, matrix, Job.class)
                            .forEach(part -> rememberAll(part.getBuildDir().toPath(), item));
                }
            }
        }

        private static void rememberAll(Path builds, Item item) {
            attempt(item, () -> StoreJournal.files(builds, "*").forEach(build -> remember(build, item)));
        }

        private static void remember(Path build, Item item) {
            attempt(build, () -> {
                for (Path list : StoreJournal.listsOf(build)) {
                    Map<String, List<String>> lists = DELETING.get(item);
                    if (lists != null) { // otherwise the job was deleted meanwhile
                        lists.put(String.valueOf(list.getFileName()), StoreJournal.lines(list));
                    }
                }
            });
        }

        @Override
        public void onDeleted(Item item) {
            Map<String, List<String>> lists = DELETING.remove(item);
            if (lists != null && !lists.isEmpty()) {
                attempt(item, () -> {
                    for (Map.Entry<String, List<String>> list : lists.entrySet()) {
                        journal().add(list.getKey(), list.getValue(), Duration.ZERO);
                    }
                    deletePending();
                });
            }
        }
    }

    /**
     * Takes those objects of a build that no record names. They are deleted later, because readers may have opened them. Must be called after records were deleted
     * or replaced. Failures are logged.
     */
    public static void takeUnused(Path build) {
        attempt(build, () -> take(StoreJournal.unusedOf(build), StoreJournal.READERS));
    }

    /** Ends an upload, and deletes the objects that its build does not own. */
    static void end(UploadSession session, Path build) {
        session.close();
        takeUnused(build);
        deletePending();
    }

    /** Works only if a store was ever used. */
    @Extension
    public static final class Hourly extends PeriodicWork {
        private int runs;

        @Override
        public long getRecurrencePeriod() {
            return HOUR;
        }

        @Override
        public long getInitialDelay() {
            return TimeUnit.SECONDS.toMillis(StartupCleanup.CLEANUP_DELAY);
        }

        @Override
        protected void doRun() {
            boolean search = runs++ % 6 == 0;
            if (Files.exists(StartupCleanup.pathOf(JOURNAL))) {
                Tasks.begin(Computer.threadPoolForRemoting, () -> {
                    if (search) {
                        searchBuilds();
                    }
                    journal().clean();
                });
            }
        }
    }

    /**
     * Takes the objects of all builds that no record names, because Jenkins deletes artifacts without notice. Takes only those that the search six hours before
     * has found, too, because the disk with the artifacts may be missing, or a backup is being restored.
     */
    static void searchBuilds() {
        Set<Path> found = new HashSet<>();
        for (Job<?, ?> job : Jenkins.get().allItems(Job.class)) {
            attempt(job, () -> {
                for (Path build : StoreJournal.files(job.getBuildDir().toPath(), "*")) {
                    attempt(build, () -> {
                        List<Path> lists = StoreJournal.unusedOf(build);
                        found.addAll(lists);
                        lists.retainAll(unused);
                        take(lists, StoreJournal.READERS);
                    });
                }
            });
        }
        unused = found;
    }
}
