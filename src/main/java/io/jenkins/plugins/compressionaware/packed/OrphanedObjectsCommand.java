package io.jenkins.plugins.compressionaware.packed;

import hudson.Extension;
import hudson.cli.CLICommand;
import hudson.model.Job;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.store.ObjectStores;
import io.jenkins.plugins.compressionaware.store.S3Store;
import io.jenkins.plugins.compressionaware.store.StoreJournal;
import io.jenkins.plugins.compressionaware.transfer.StoreCleanup;
import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.args4j.Option;

/** The CLI command {@code orphaned-objects}: lists the objects of the configured stores that no list names, and deletes them on request. */
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

    private int failures;

    @Override
    public String getShortDescription() {
        return Messages.OrphanedObjectsCommand_description();
    }

    @Override
    protected int run() throws IOException {
        Jenkins.get().checkPermission(Jenkins.ADMINISTER);
        GlobalSettings settings = GlobalSettings.get();
        List<S3Store> stores = new ArrayList<>(settings.getStores());
        if (settings.getStore() != null) {
            stores.add(settings.getStore());
        }
        if (stores.isEmpty()) {
            throw new IllegalArgumentException(Messages.OrphanedObjectsCommand_noStore());
        }
        // first the objects: one that is stored meanwhile is not listed
        Map<S3Store, List<String>> orphans = new LinkedHashMap<>();
        Instant newest = Instant.now().minus(Duration.ofHours(Math.max(0, hours)));
        for (S3Store store : stores) {
            attempt(store, () -> {
                List<String> keys = new ArrayList<>();
                ObjectStores.of(store.location()).list(store.keyPrefix(), (key, stored) -> {
                    if (OURS.matcher(key).matches() && !stored.isAfter(newest)) {
                        keys.add(key);
                    }
                });
                orphans.put(store, keys);
            });
        }
        // an upload that ends meanwhile moves its list from the journal to a build
        Set<String> known = StoreCleanup.journal().lines();
        addAllBuilds(Jenkins.get().getRootDir().toPath().resolve("jobs"), known);
        boolean complete = true;
        for (Job<?, ?> job : Jenkins.get().allItems(Job.class)) {
            Path builds = job.getBuildDir().toPath();
            addBuilds(builds, known);
            complete &= isComplete(builds);
        }
        orphans.values().forEach(keys -> keys.removeAll(known));
        orphans.entrySet().stream()
                .flatMap(found -> found.getValue().stream().map(found.getKey().location()::nameOf))
                .distinct() // because stores may share a folder of a bucket
                .forEach(stdout::println);
        if (delete && !complete) {
            throw new IllegalStateException(Messages.OrphanedObjectsCommand_incomplete());
        } else if (delete) {
            orphans.forEach((store, keys) ->
                    attempt(store, () -> ObjectStores.of(store.location()).delete(keys)));
        }
        return failures == 0 ? 0 : 1;
    }

    /** Runs an action. Reports its failure, so that a store that does not respond hides no orphans of other stores. */
    private void attempt(S3Store store, StoreCleanup.Action action) {
        try {
            action.run();
        } catch (IOException | RuntimeException e) {
            failures++;
            stderr.println(
                    Messages.UnpackArtifactsCommand_failed(store.location().name(), e.getMessage()));
        }
    }

    /**
     * Adds the keys of all builds, also of promotions, which are no items, and of jobs that did not load. Fails if a folder cannot be read. Reads no builds and
     * workspaces.
     */
    private static void addAllBuilds(Path jobs, Set<String> known) throws IOException {
        Set<FileVisitOption> links = EnumSet.of(FileVisitOption.FOLLOW_LINKS);
        Files.walkFileTree(jobs, links, Integer.MAX_VALUE, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) throws IOException {
                // a job may have these names, too
                if (folder.endsWith("builds") && Files.notExists(folder.resolve("config.xml"))) {
                    addBuilds(folder, known);
                    return FileVisitResult.SKIP_SUBTREE;
                }
                boolean isOfJob = folder.endsWith("workspace") && Files.exists(folder.resolveSibling("config.xml"));
                return isOfJob ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException || e instanceof FileSystemLoopException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }
        });
    }

    private static void addBuilds(Path builds, Set<String> known) throws IOException {
        for (Path build : StoreJournal.files(builds, "*")) {
            for (Path list : StoreJournal.listsOf(build)) {
                known.addAll(StoreJournal.lines(list));
            }
        }
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
