package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.Extension;
import hudson.ExtensionList;
import hudson.model.Run;
import hudson.model.listeners.RunListener;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.engine.staging.FileDeduplicator;
import io.jenkins.plugins.compressionaware.reference.ChunkIndexer;
import io.jenkins.plugins.compressionaware.reference.ReferenceBuild;
import io.jenkins.plugins.compressionaware.report.TransferListener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;
import jenkins.model.StandardArtifactManager;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Deduplicates files of a finished build that the previous build also has, on the thread that creates chunk indexes. */
@Extension
@Restricted(NoExternalUse.class)
public final class Deduplication extends RunListener<Run<?, ?>> {
    private static final Logger LOGGER = Logger.getLogger(Deduplication.class.getName());

    /** Jenkins archives no file into the build after this event. A write into a hard link would change earlier builds. */
    @Override
    public void onFinalized(Run<?, ?> build) {
        GlobalSettings policy = GlobalSettings.get();
        FileDeduplicator.Method sharing = policy.deduplication();
        if (sharing != null
                && build.getArtifactManager() instanceof StandardArtifactManager
                && !policy.exclusions().excludesBuild(build)) {
            ChunkIndexer.execute(build, () -> share(build, sharing));
        }
    }

    private static void share(Run<?, ?> build, FileDeduplicator.Method sharing) {
        try {
            Path archive = ReferenceBuild.archive(build, build.getNumber());
            Path previous = previousArchive(build);
            if (previous == null || build.isLogUpdated() || !Files.isDirectory(archive)) {
                return;
            }
            long shared = FileDeduplicator.share(previous, archive, sharing, StartupCleanup.journal());
            if (shared > 0) {
                String job = build.getParent().getFullName();
                ExtensionList.lookup(TransferListener.class).forEach(listener -> listener.deduplicated(job, shared));
            }
        } catch (IOException | RuntimeException | OutOfMemoryError e) { // deduplication is optional
            LOGGER.log(Level.FINE, e, () -> "Cannot deduplicate files of " + build);
        }
    }

    /** Returns the archive of the last finished build. A running build is skipped, because Jenkins itself may archive into it if this plugin is removed. */
    @CheckForNull
    private static Path previousArchive(Run<?, ?> build) {
        Run<?, ?> previous = build.getPreviousBuild();
        for (int i = 0; i < ReferenceBuild.MAX_BUILDS_SCANNED && previous != null; i++) {
            Path archive = ReferenceBuild.archive(build, previous.getNumber());
            if (!previous.isLogUpdated() && Files.isDirectory(archive)) {
                return archive;
            }
            previous = previous.getPreviousBuild();
        }
        return null;
    }
}
