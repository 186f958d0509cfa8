package io.jenkins.plugins.compressionaware.packed;

import hudson.Extension;
import hudson.cli.CLICommand;
import hudson.model.Job;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.store.ObjectStores;
import io.jenkins.plugins.compressionaware.store.S3Store;
import io.jenkins.plugins.compressionaware.transfer.StoreCleanup;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.args4j.Option;

/** The CLI command {@code orphaned-objects}: lists the objects of the configured bucket of which no build has a record, and deletes them on request. */
@Extension
@Restricted(NoExternalUse.class)
public final class OrphanedObjectsCommand extends CLICommand {
    @Option(name = "--delete", usage = "Deletes these objects")
    public boolean delete;

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
        ObjectStores.list(store.location(), store.keyPrefix(), orphans::add);
        // an upload that ends meanwhile has a record before its entry is deleted
        Set<String> known = new HashSet<>(StoreCleanup.journal().keys());
        for (Job<?, ?> job : Jenkins.get().allItems(Job.class)) {
            addRecords(job.getBuildDir(), known);
        }
        orphans.removeIf(key -> known.contains(key) || !key.endsWith(".tar.zst"));
        orphans.forEach(key -> stdout.println(store.location().nameOf(key)));
        if (delete && !orphans.isEmpty()) {
            StoreCleanup.journal().add(store.location(), orphans);
            return StoreCleanup.journal().clean() ? 0 : 1;
        }
        return 0;
    }

    /** Adds the keys of all builds of a job, whether Jenkins can load them or not. */
    private static void addRecords(File builds, Set<String> known) throws IOException {
        File[] found = builds.listFiles(File::isDirectory);
        for (File build : found == null ? new File[0] : found) {
            for (String folder : List.of("archive/packed-artifacts", "stashes")) {
                for (StoredRecord record : StoreCleanup.recordsIn(build.toPath().resolve(folder))) {
                    known.add(record.key());
                }
            }
        }
    }
}
