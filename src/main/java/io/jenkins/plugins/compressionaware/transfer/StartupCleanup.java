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
 * Notes in Jenkins' home the files that transfers are putting together. When the controller has died, the next one removes them, whether the builds
 * go on or not, and without loading a build.
 */
@Extension
@Restricted(NoExternalUse.class)
public final class StartupCleanup extends ItemListener {
    /** Milliseconds to wait: a standby controller may start while the one that it is to replace still works in the same home. */
    private static final long CLEANUP_DELAY_MILLIS = TimeUnit.MINUTES.toMillis(15);

    @Override
    public void onLoaded() {
        StagingJournal notes = journal();
        Runnable cleanUp = () -> notes.deleteAbandoned(CLEANUP_DELAY_MILLIS);
        Timer.get()
                .schedule(
                        () -> Computer.threadPoolForRemoting.execute(cleanUp),
                        CLEANUP_DELAY_MILLIS,
                        TimeUnit.MILLISECONDS);
    }

    /** Notes for the next controller. */
    public static StagingJournal journal() {
        return new StagingJournal(homeFolder("journal"));
    }

    /** A folder of this plugin in Jenkins' home; need not exist. */
    public static Path homeFolder(String name) {
        return Jenkins.get()
                .getRootDir()
                .toPath()
                .resolve("compression-aware-artifacts")
                .resolve(name);
    }
}
