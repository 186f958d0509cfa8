package io.jenkins.plugins.compressionaware.transfer;

import hudson.Extension;
import hudson.model.listeners.ItemListener;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.report.DelayedExecutor;
import java.nio.file.Path;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Deletes staged files that a crashed controller left behind. Transfers list such files in a journal in Jenkins' home, so the next controller finds them
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

    public static StagingJournal journal() {
        return new StagingJournal(homeFolder("journal"));
    }

    /** Returns a folder of this plugin in Jenkins' home, which need not exist. */
    public static Path homeFolder(String name) {
        return Path.of(Jenkins.get().getRootDir().getPath(), "compression-aware-artifacts", name);
    }
}
