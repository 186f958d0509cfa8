package io.jenkins.plugins.compressionaware.transfer;

import hudson.Extension;
import hudson.model.Computer;
import hudson.model.listeners.ItemListener;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import jenkins.model.Jenkins;
import jenkins.util.Timer;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Deletes staged files that a crashed controller left behind. Transfers list such files in a journal in Jenkins' home, so the next controller finds them
 * without loading builds.
 */
@Extension
@Restricted(NoExternalUse.class)
public final class StartupCleanup extends ItemListener {
    /** Milliseconds to wait after startup, because a standby controller can start while the old one still works in the same home. */
    private static final long CLEANUP_DELAY_MILLIS = TimeUnit.MINUTES.toMillis(15);

    @Override
    public void onLoaded() {
        StagingJournal journal = journal();
        Runnable cleanUp = () -> journal.deleteAbandoned(CLEANUP_DELAY_MILLIS);
        Timer.get()
                .schedule(
                        () -> Computer.threadPoolForRemoting.execute(cleanUp),
                        CLEANUP_DELAY_MILLIS,
                        TimeUnit.MILLISECONDS);
    }

    /** Returns the journal of staged files. */
    public static StagingJournal journal() {
        return new StagingJournal(homeFolder("journal"));
    }

    /** Returns a folder of this plugin in Jenkins' home, which need not exist. */
    public static Path homeFolder(String name) {
        return Jenkins.get()
                .getRootDir()
                .toPath()
                .resolve("compression-aware-artifacts")
                .resolve(name);
    }
}
