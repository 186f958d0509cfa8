package io.jenkins.plugins.compressionaware.packed;

import hudson.Extension;
import hudson.cli.CLICommand;
import hudson.model.Item;
import hudson.model.Job;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.store.ObjectStores;
import io.jenkins.plugins.compressionaware.store.S3Store;
import io.jenkins.plugins.compressionaware.store.StoreJournal;
import io.jenkins.plugins.compressionaware.transfer.StoreCleanup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.args4j.Option;

/** The CLI command {@code orphaned-objects}: lists the objects of the configured bucket that no list names, and deletes them on request. */
@Extension
@Restricted(NoExternalUse.class)
public final class OrphanedObjectsCommand extends CLICommand {
    private static final Pattern OURS =
            Pattern.compile("(.*/)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(\\.tar\\.zst|/[^/]+)");

    @Option(name = "--delete", usage = "Deletes these objects")
    public boolean delete;

    /** A job may move while this command looks for its builds. */
    @Option(name = "--hours", usage = "Minimum age of an object, 24 if not set")
    public int hours = 24;

    @Override
    public String getShortDescription() {
        return Messages.OrphanedObjectsCommand_description();
    }

    @Override
    protected int run() throws IOException {
        Jenkins.get().checkPermission(Jenkins.ADMINISTER);
        S3Store store = GlobalSettings.get().getStore();
        if (store == null) {
            throw new IllegalArgumentException(Messages.OrphanedObjectsCommand_noStore());
        }
        // first the objects: one that is stored meanwhile is not listed
        List<String> orphans = new ArrayList<>();
        Instant newest = Instant.now().minus(Duration.ofHours(Math.max(0, hours)));
        ObjectStores.of(store.location()).list(store.keyPrefix(), (key, stored) -> {
            if (OURS.matcher(key).matches() && !stored.isAfter(newest)) {
                orphans.add(key);
            }
        });
        // an upload that ends meanwhile moves its list from the journal to a build
        Set<String> known = new HashSet<>(StoreCleanup.journal().lines());
        Set<Path> folders = new HashSet<>(Set.of(Jenkins.get().getRootDir().toPath()));
        boolean complete = true;
        for (Item item : Jenkins.get().allItems(Item.class)) {
            folders.add(item.getRootDir().toPath());
            if (item instanceof Job<?, ?> job) {
                Path builds = job.getBuildDir().toPath();
                complete &= isComplete(builds);
                for (Path build : StoreJournal.files(builds, "*")) {
                    for (Path list : StoreJournal.listsOf(build)) {
                        known.addAll(StoreJournal.lines(list));
                    }
                }
            }
        }
        orphans.removeAll(known);
        orphans.forEach(key -> stdout.println(store.location().nameOf(key)));
        if (delete && !(complete && isLoaded(folders))) {
            throw new IllegalStateException(Messages.OrphanedObjectsCommand_incomplete());
        } else if (delete) {
            ObjectStores.of(store.location()).delete(orphans);
        }
        return 0;
    }

    /** Returns whether the folders of all loaded items contain no other job, such as one whose plugin is missing. */
    private static boolean isLoaded(Set<Path> folders) throws IOException {
        List<Path> jobs = new ArrayList<>();
        for (Path folder : folders) {
            jobs.addAll(StoreJournal.files(folder.resolve("jobs"), "*"));
            jobs.addAll(StoreJournal.files(folder.resolve("branches"), "*"));
        }
        jobs.removeIf(job -> folders.contains(job) || Files.isRegularFile(job));
        return jobs.isEmpty();
    }

    /** Returns whether a job's builds are in the folder of the job, and not on a disk that may be missing. */
    private static boolean isComplete(Path builds) throws IOException {
        Path next = builds.resolveSibling("nextBuildNumber");
        return Files.exists(builds.resolveSibling("config.xml"))
                && (Files.exists(builds)
                        || Files.notExists(next)
                        || Files.readString(next).strip().equals("1"));
    }
}
