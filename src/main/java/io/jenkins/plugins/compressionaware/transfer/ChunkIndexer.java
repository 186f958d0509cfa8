package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.NonNull;
import hudson.Extension;
import hudson.ExtensionList;
import hudson.FilePath;
import hudson.init.Terminator;
import hudson.model.Run;
import hudson.model.TaskListener;
import hudson.model.listeners.RunListener;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.engine.delta.ArchiveStats;
import io.jenkins.plugins.compressionaware.engine.delta.ChunkIndex;
import io.jenkins.plugins.compressionaware.engine.staging.FileDeduplicator;
import io.jenkins.plugins.compressionaware.engine.flow.Tasks;
import io.jenkins.plugins.compressionaware.report.BuildTransfersAction;
import io.jenkins.plugins.compressionaware.report.StageTimes;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferListener;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import jenkins.model.StandardArtifactManager;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Makes an index of a build's archive, once the build is over, if that will save the next one time. Then its unchanged files may share the disk with those of
 * the build before. One thread does this for all builds.
 */
@Extension
@Restricted(NoExternalUse.class)
public final class ChunkIndexer extends RunListener<Run<?, ?>> {
    private static final Logger LOGGER = Logger.getLogger(ChunkIndexer.class.getName());

    /** Tasks that wait, two per build; further ones are dropped. */
    private static final int MAX_QUEUED_TASKS = 100;

    /** Milliseconds taken off a transfer for finding the agent's engine and the like. */
    private static final long STARTUP_MILLIS = 500;

    /** Seconds to wait for the thread when Jenkins stops: its disk may hang. */
    private static final long SHUTDOWN_SECONDS = 5;

    /** A smaller sent part than one in so many says nothing about the cost per byte. */
    private static final int MIN_SENT_DIVISOR = 4;

    /** Builds that may get an index, and nanoseconds per wire byte from the slowest of their agents; NaN if that is not known of one. */
    private final Map<Run<?, ?>, Double> wanted = new ConcurrentHashMap<>();

    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(MAX_QUEUED_TASKS), task -> {
                Thread made = new Thread(task, "artifact transfer: index");
                made.setDaemon(true);
                made.setPriority(Thread.MIN_PRIORITY);
                return made;
            });

    public ChunkIndexer() {
        thread.allowCoreThreadTimeOut(true);
    }

    /**
     * Requests an index of the build after its end. A build that has ended gets its index now, because modules of a Maven build archive after their
     * end.
     *
     * @param workspace on an agent from which it has just archived
     */
    public static void scheduleAfter(Run<?, ?> build, FilePath workspace) {
        ChunkIndexer indexing = ExtensionList.lookupSingleton(ChunkIndexer.class);
        indexing.wanted.merge(build, ReferenceBuild.uplinkNanosPerByte(build, workspace), Math::max);
        if (!build.isLogUpdated()) {
            indexing.index(build);
        }
    }

    @Override
    public void onCompleted(Run<?, ?> build, @NonNull TaskListener listener) {
        index(build);
    }

    private void index(Run<?, ?> build) {
        Double link = wanted.remove(build);
        BuildTransfersAction transfers = link == null ? null : build.getAction(BuildTransfersAction.class);
        if (transfers != null) {
            execute(build, () -> index(build, transfers, link));
        }
    }

    /** Shares files now that nothing in Jenkins archives into the build any more: a write into a hard link would change earlier builds. */
    @Override
    public void onFinalized(Run<?, ?> build) {
        wanted.remove(build);
        GlobalSettings policy = GlobalSettings.get();
        FileDeduplicator.Method sharing = policy.sharing();
        if (sharing != null
                && build.getArtifactManager() instanceof StandardArtifactManager
                && !policy.exclusions().excludesBuild(build)) {
            execute(build, () -> share(build, sharing));
        }
    }

    // the only way to a build's archive folder
    @SuppressWarnings("deprecation")
    private static void share(Run<?, ?> build, FileDeduplicator.Method sharing) {
        try {
            Path archive = build.getArtifactsDir().toPath();
            Path earlier = previousArchive(build);
            if (earlier == null || build.isLogUpdated() || !Files.isDirectory(archive)) {
                return;
            }
            long shared = FileDeduplicator.share(earlier, archive, sharing, StartupCleanup.journal());
            if (shared > 0) {
                String job = build.getParent().getFullName();
                ExtensionList.lookup(TransferListener.class).forEach(listener -> listener.deduplicated(job, shared));
            }
        } catch (IOException | RuntimeException | OutOfMemoryError e) { // all files are still there
            LOGGER.log(Level.FINE, e, () -> build + " shares no files");
        }
    }

    /** The archive of the last build that is over: Jenkins itself may archive into a running one, once this plugin is gone. */
    @CheckForNull
    @SuppressWarnings("deprecation")
    private static Path previousArchive(Run<?, ?> build) {
        Run<?, ?> earlier = build.getPreviousBuild();
        for (int i = 0; i < ReferenceBuild.MAX_BUILDS_SCANNED && earlier != null; i++) {
            Path archive = earlier.getArtifactsDir().toPath();
            if (!earlier.isLogUpdated() && Files.isDirectory(archive)) {
                return archive;
            }
            earlier = earlier.getPreviousBuild();
        }
        return null;
    }

    /** Aborts the index that is being made and removes it, so the next build is compared with an older build. */
    @Terminator
    public static void stop() throws InterruptedException {
        ThreadPoolExecutor thread = ExtensionList.lookupSingleton(ChunkIndexer.class).thread;
        thread.shutdownNow();
        if (!thread.awaitTermination(SHUTDOWN_SECONDS, TimeUnit.SECONDS)) {
            LOGGER.log(Level.FINE, "The disk does not answer");
        }
    }

    private void execute(Run<?, ?> build, Runnable task) {
        if (!Tasks.begin(thread, task)) { // no thread is available, or many tasks wait
            LOGGER.log(Level.FINE, "No index of {0}", build);
        }
    }

    @Override
    public void onDeleted(Run<?, ?> build) {
        wanted.remove(build);
    }

    // the only way to a build's archive folder
    @SuppressWarnings("deprecation")
    private static void index(Run<?, ?> build, BuildTransfersAction transfers, double link) {
        try {
            ReferenceBuild.deleteIndexesBefore(build, 0);
            int before = ReferenceBuild.findIndexedBuild(build);
            ArchiveStats facts = facts(transfers.getTransfers(), ReferenceBuild.facts(build, before));
            boolean asked = before > 0 && DeltaEstimator.isInFull(build.getNumber())
                    || transfers.getTransfers().stream().anyMatch(result -> result.referenceBuild > 0);
            // agents that were told will be told again: then other jobs' measurements of their link do not count
            double known = asked ? Double.NaN : link;
            DeltaEstimator.IndexDecision next = facts == null
                    ? DeltaEstimator.IndexDecision.NOTHING
                    : DeltaEstimator.decideIndex(facts, known, asked, before == 0 ? 0 : build.getNumber() - before);
            if (next == DeltaEstimator.IndexDecision.NOTHING) {
                return;
            }
            Path archive = build.getArtifactsDir().toPath();
            ChunkIndex index = next == DeltaEstimator.IndexDecision.RETRY_AFTER_BUILDS
                    ? ChunkIndex.withoutChunks(facts)
                    : ChunkIndex.of(archive, asked || before == 0 ? facts : facts.withUnknownShare());
            if (next == DeltaEstimator.IndexDecision.INDEX
                    && !DeltaEstimator.isWorthwhile(index.facts(), known, index.offerBytes())) {
                return;
            }
            index.write(archive.resolveSibling(ChunkIndex.FILE));
            ReferenceBuild.deleteIndexesBefore(build, before);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            LOGGER.log(Level.FINE, "No index of " + build, e);
        }
    }

    /**
     * Nanoseconds of the slowest stage that only sent bytes pass: all files are read and written, anyway. Time that no stage explains was spent on the way: a
     * channel takes a megabyte of each lane before a write to it waits.
     */
    private static long nanos(TransferResult result) {
        StageTimes busy = result.stageTimes;
        long spent = Math.max(0, result.duration - STARTUP_MILLIS);
        if (busy != null && busy.isComplete()) {
            spent = Math.max(
                    spent - busy.reading - busy.writing,
                    Math.max(Math.max(busy.compressing, busy.link), busy.decoding));
        }
        return TimeUnit.MILLISECONDS.toNanos(spent);
    }

    /** Nanoseconds per wire byte. */
    static double nanosPerWire(TransferResult result) {
        return nanos(result) / (double) result.wireBytes;
    }

    /** Returns facts for the next build from this build's largest archive, preferably one with a list; null if nothing was archived. */
    @CheckForNull
    static ArchiveStats facts(List<TransferResult> transfers, @CheckForNull ArchiveStats last) {
        TransferResult largest = transfers.stream()
                .filter(result ->
                        result.kind == TransferInfo.Operation.ARCHIVE && result.wireBytes > 0 && result.rawBytes > 0)
                .max(Comparator.comparing((TransferResult result) -> result.referenceBuild > 0)
                        .thenComparing(result -> result.rawBytes))
                .orElse(null);
        if (largest == null) {
            return null;
        }
        ArchiveStats before = last == null ? new ArchiveStats(0, 0, 0, 0, -1, 0) : last;
        boolean asked = largest.referenceBuild > 0;
        double raw = largest.rawBytes;
        double sent = Math.max(1, raw - largest.reusedBytes);
        boolean tells = last == null || sent > raw / MIN_SENT_DIVISOR;
        double share = asked ? largest.reusedBytes / raw : before.share();
        double took = TimeUnit.MILLISECONDS.toNanos(Math.max(0, largest.duration - STARTUP_MILLIS)) / raw;
        return new ArchiveStats(
                largest.files,
                largest.rawBytes,
                tells ? largest.wireBytes / sent : before.wirePerRaw(),
                tells ? nanosPerWire(largest) : before.nanosPerWire(),
                share,
                !asked
                        ? before.fruitlessBuilds()
                        : share < ArchiveStats.MIN_USEFUL_SHARE ? before.fruitlessBuilds() + 1 : 0,
                asked ? before.full() : mean(before.full(), took),
                asked ? mean(before.shortened(), took) : before.shortened());
    }

    /** Returns the mean, so that one build that was slow by chance counts only half. */
    private static double mean(double before, double now) {
        return before < 0 ? now : (before + now) / 2;
    }
}
