package io.jenkins.plugins.compressionaware.transfer;

import hudson.Extension;
import hudson.init.InitMilestone;
import hudson.init.Initializer;
import hudson.model.Item;
import hudson.model.Job;
import hudson.model.listeners.ItemListener;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.report.DelayedExecutor;
import java.nio.file.Path;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Deletes staged files that a crashed controller left behind, and finishes archives of which all files had arrived. Transfers list such files in a journal in Jenkins' home, so the next controller finds them
 * without loading builds.
 */
@Extension
@Restricted(NoExternalUse.class)
public final class StartupCleanup extends ItemListener {
    /** Seconds to wait after startup, because a standby controller can start while the old one still works in the same home. */
    private static final int CLEANUP_DELAY = 15 * 60;

    @Override
    public void onLoaded() {
        StagingJournal journal = journal();
        // if no thread is available, the next start deletes the files
        DelayedExecutor.schedule(CLEANUP_DELAY, () -> journal.deleteAbandoned(CLEANUP_DELAY * 1000L), () -> {});
    }

    /** Finishes what had arrived completely, before a resumed build can archive newer files. */
    @Initializer(
            after = InitMilestone.EXTENSIONS_AUGMENTED,
            before = InitMilestone.SYSTEM_CONFIG_ADAPTED,
            fatal = false)
    public static void finishMerges() {
        journal().finishMerges();
    }

    @Override
    public void onLocationChanged(Item item, String oldFullName, String newFullName) {
        if (item instanceof Job<?, ?> job) {
            journal().moved(job.getBuildDir().toPath());
        }
    }

    public static StagingJournal journal() {
        return new StagingJournal(homeFolder("journal"), Jenkins.get().getRootDir().toPath());
    }

    /** Returns a folder of this plugin in Jenkins' home, which need not exist. */
    public static Path homeFolder(String name) {
        return Path.of(Jenkins.get().getRootDir().getPath(), "compression-aware-artifacts", name);
    }
}
