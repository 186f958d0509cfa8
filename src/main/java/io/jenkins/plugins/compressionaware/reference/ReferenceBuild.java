package io.jenkins.plugins.compressionaware.reference;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.model.Computer;
import hudson.model.Run;
import io.jenkins.plugins.compressionaware.engine.delta.ArchiveStats;
import io.jenkins.plugins.compressionaware.engine.delta.ChunkIndex;
import io.jenkins.plugins.compressionaware.engine.delta.ReferenceArchive;
import io.jenkins.plugins.compressionaware.engine.run.InterruptibleDiskTask;
import io.jenkins.plugins.compressionaware.provisioning.AgentProfile;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
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
 * The last build of the same job whose archive has a chunk index. An agent reuses content of this archive instead of sending it again.
 *
 * @param signature signature of the archive for the agent
 */
@Restricted(NoExternalUse.class)
public record ReferenceBuild(int number, ReferenceArchive archive, byte[] signature) implements Closeable {
    private static final Logger LOGGER = Logger.getLogger(ReferenceBuild.class.getName());

    /** Number of build folders to check for an index, from the last completed build backwards. */
    public static final int MAX_BUILDS_SCANNED = 12;

    /**
     * Returns the reference build if a delta is worthwhile.
     *
     * @param workspace workspace on the agent
     * @param names names of the files to archive
     * @return null if there is none, a delta would not save time, or the search fails
     * @throws InterruptedException if the thread is interrupted, even while the disk hangs
     */
    @CheckForNull
    public static ReferenceBuild of(Run<?, ?> build, FilePath workspace, Collection<String> names)
            throws InterruptedException {
        try {
            return new InterruptibleDiskTask(Computer.threadPoolForRemoting)
                    .open(() -> openIfWorthwhile(build, workspace, names));
        } catch (IOException | RuntimeException | OutOfMemoryError e) { // a delta is optional
            LOGGER.log(Level.FINE, "Cannot use a reference build; everything is sent", e);
            return null;
        }
    }

    @CheckForNull
    private static ReferenceBuild openIfWorthwhile(Run<?, ?> build, FilePath workspace, Collection<String> names)
            throws IOException {
        int number = DeltaEstimator.isInFull(build.getNumber()) ? 0 : findIndexedBuild(build);
        String agent = TransferInfo.agentOf(workspace);
        ReferenceArchive archive =
                number == 0 ? null : ReferenceArchive.open(agent, archive(build, number), index(build, number));
        if (archive == null) {
            return null;
        }
        ReferenceBuild opened = null;
        try {
            ChunkIndex index = archive.index();
            double link = uplinkNanosPerByte(build, workspace);
            // a build can have many archive steps, most of them with other files
            if (index.signatureBytes() > 0
                    && DeltaEstimator.isWorthwhile(index.stats(names), link, index.signatureBytes())) {
                opened = new ReferenceBuild(
                        number,
                        archive,
                        index.signature(Double.isNaN(link) ? index.stats().nanosPerWire() : link));
            }
        } finally {
            if (opened == null) {
                archive.close();
            }
        }
        return opened;
    }

    /** Returns the number of the last build that has an index and an archive; 0 if there is none. */
    public static int findIndexedBuild(Run<?, ?> build) {
        // starts at the last completed build, however many builds still run
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

    /** Returns the figures of a build's archive; null if its index has none. */
    @CheckForNull
    static ArchiveStats stats(Run<?, ?> build, int number) {
        ChunkIndex index = number == 0 ? null : ChunkIndex.read(index(build, number));
        return index == null ? null : index.stats();
    }

    /** Returns nanoseconds per wire byte from the workspace's agent; NaN if unknown. */
    static double uplinkNanosPerByte(Run<?, ?> build, FilePath workspace) {
        return AgentProfile.of(workspace, build.getParent().getFullName()).find(AgentProfile.Property.UPLINK);
    }

    /**
     * Deletes the indexes of earlier builds that are no longer needed or whose artifacts were deleted.
     *
     * @param kept first build whose index is kept, because running builds can still use an older index than the newest
     */
    static void deleteIndexesBefore(Run<?, ?> build, int kept) throws IOException {
        for (int n = build.getNumber() - 1; n > 0 && n >= build.getNumber() - MAX_BUILDS_SCANNED; n--) {
            if (n < kept || !Files.isDirectory(archive(build, n))) {
                Files.deleteIfExists(index(build, n));
            }
        }
    }

    public static Path archive(Run<?, ?> build, int number) {
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
