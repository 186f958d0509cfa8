package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.model.Computer;
import hudson.model.Run;
import io.jenkins.plugins.compressionaware.directlane.AgentProfile;
import io.jenkins.plugins.compressionaware.engine.delta.ArchiveStats;
import io.jenkins.plugins.compressionaware.engine.delta.ChunkIndex;
import io.jenkins.plugins.compressionaware.engine.delta.ReferenceArchive;
import io.jenkins.plugins.compressionaware.engine.receive.InterruptibleDiskTask;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Collection;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * The last build of the same job whose archive has an index. The search checks build folders, from the last completed build backwards.
 *
 * @param offer list of its content for the agent
 */
@Restricted(NoExternalUse.class)
public record ReferenceBuild(int number, ReferenceArchive archive, byte[] offer) implements Closeable {
    private static final Logger LOGGER = Logger.getLogger(ReferenceBuild.class.getName());

    /** Number of builds to check, from the last completed one backwards. */
    static final int MAX_BUILDS_SCANNED = 12;

    /**
     * The earlier build, if telling the agent about it pays.
     *
     * @param workspace on that agent
     * @param names     names of the files to archive
     * @return null if there is none, or using it would take longer than sending everything, or the search fails
     * @throws InterruptedException if interrupted; does not wait for a disk that does not answer
     */
    @CheckForNull
    public static ReferenceBuild of(Run<?, ?> build, FilePath workspace, Collection<String> names)
            throws InterruptedException {
        try {
            return new InterruptibleDiskTask(Computer.threadPoolForRemoting)
                    .open(() -> openIfWorthwhile(build, workspace, names));
        } catch (IOException | RuntimeException | OutOfMemoryError e) { // everything can be sent
            LOGGER.log(Level.FINE, "Nothing of earlier builds is used", e);
            return null;
        }
    }

    @CheckForNull
    private static ReferenceBuild openIfWorthwhile(Run<?, ?> build, FilePath workspace, Collection<String> names) {
        int number = DeltaEstimator.isInFull(build.getNumber()) ? 0 : findIndexedBuild(build);
        ReferenceArchive archive =
                number == 0 ? null : ReferenceArchive.open(archive(build, number), index(build, number));
        if (archive == null) {
            return null;
        }
        ReferenceBuild worth = null;
        try {
            ChunkIndex index = archive.index();
            double link = uplinkNanosPerByte(build, workspace);
            // a build may have many archive steps, most with other files
            if (index.offerBytes() > 0 && DeltaEstimator.isWorthwhile(index.facts(names), link, index.offerBytes())) {
                worth = new ReferenceBuild(
                        number,
                        archive,
                        index.signature(Double.isNaN(link) ? index.facts().nanosPerWire() : link));
            }
        } finally {
            if (worth == null) {
                archive.close();
            }
        }
        return worth;
    }

    /** Returns the number of the last earlier build that has an index and an archive; 0 if there is none. */
    static int findIndexedBuild(Run<?, ?> build) {
        // skips builds that still run, however many
        Run<?, ?> newest = build.getPreviousCompletedBuild();
        int number = newest == null ? 0 : newest.getNumber();
        for (int i = 0; i < MAX_BUILDS_SCANNED && number > 0; i++, number--) {
            if (Files.isRegularFile(index(build, number), LinkOption.NOFOLLOW_LINKS)
                    && Files.isDirectory(archive(build, number))) {
                return number;
            }
        }
        return 0;
    }

    /** How the archive of a build has travelled; null if its index does not tell. */
    @CheckForNull
    static ArchiveStats facts(Run<?, ?> build, int number) {
        ChunkIndex index = number == 0 ? null : ChunkIndex.read(index(build, number));
        return index == null ? null : index.facts();
    }

    /** Nanoseconds per wire byte from the workspace's agent; NaN if unknown. */
    static double uplinkNanosPerByte(Run<?, ?> build, FilePath workspace) {
        return AgentProfile.of(workspace, build.getParent().getFullName()).uplinkNanosPerByte();
    }

    /**
     * Deletes the indices of earlier builds that are no longer needed, and those whose artifacts were deleted.
     *
     * @param kept first build whose index is kept: running builds may still use an index older than the newest
     */
    static void deleteIndexesBefore(Run<?, ?> build, int kept) throws IOException {
        for (int n = build.getNumber() - 1; n > 0 && n >= build.getNumber() - MAX_BUILDS_SCANNED; n--) {
            if (n < kept || !Files.isDirectory(archive(build, n))) {
                Files.deleteIfExists(index(build, n));
            }
        }
    }

    private static Path archive(Run<?, ?> build, int number) {
        return folder(build, number).resolve("archive");
    }

    private static Path index(Run<?, ?> build, int number) {
        return folder(build, number).resolve(ChunkIndex.FILE);
    }

    private static Path folder(Run<?, ?> build, int number) {
        return build.getParent().getBuildDir().toPath().resolve(String.valueOf(number));
    }

    @Override
    public void close() {
        archive.close();
    }
}
