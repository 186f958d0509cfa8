package io.jenkins.plugins.compressionaware.transfer;

import hudson.Extension;
import hudson.init.InitMilestone;
import hudson.init.Initializer;
import hudson.model.Item;
import hudson.model.Job;
import hudson.model.listeners.ItemListener;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.report.DelayedExecutor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import jenkins.model.Jenkins;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Deletes staged files that a crashed controller left behind, and finishes archives of which all files had arrived. Transfers list such files in a journal in
 * Jenkins' home, so the next controller finds them without loading builds.
 */
@Extension
@Restricted(NoExternalUse.class)
public final class StartupCleanup extends ItemListener {
    private static final Logger LOGGER = Logger.getLogger(StartupCleanup.class.getName());

    private static final String JOURNAL = "journal";

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    /** Seconds to wait after startup, because a standby controller can start while the old one still works in the same home. */
    static final int CLEANUP_DELAY = 15 * 60;

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
        homeFolder(JOURNAL);
        journal().finishMerges();
    }

    @Override
    public void onLocationChanged(Item item, String oldFullName, String newFullName) {
        if (item instanceof Job<?, ?> job) {
            journal().moved(job.getBuildDir().toPath());
        }
    }

    /** Returns the journal. Uses no disk, because builds' threads call this. */
    public static StagingJournal journal() {
        return new StagingJournal(pathOf(JOURNAL), Jenkins.get().getRootDir().toPath());
    }

    static Path pathOf(String name) {
        return Path.of(Jenkins.get().getRootDir().getPath(), "compression-aware-artifacts", name);
    }

    /** Returns a folder of this plugin in Jenkins' home, which only Jenkins may read. If it cannot be created, its user fails. */
    public static Path homeFolder(String name) {
        Path folder = pathOf(name);
        try {
            createPrivate(folder);
        } catch (IOException e) {
            LOGGER.log(Level.FINE, e, () -> "Cannot create or restrict " + folder);
        }
        return folder;
    }

    /** Creates a folder that other local users cannot read, and restricts an existing one. On Windows, it has the access list of Jenkins' home. */
    static void createPrivate(Path folder) throws IOException {
        Files.createDirectories(folder);
        PosixFileAttributeView view = Files.getFileAttributeView(folder, PosixFileAttributeView.class);
        if (view != null && !view.readAttributes().permissions().equals(OWNER_ONLY)) {
            view.setPermissions(OWNER_ONLY);
        }
    }
}
