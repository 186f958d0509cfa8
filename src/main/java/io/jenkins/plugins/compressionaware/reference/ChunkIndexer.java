package io.jenkins.plugins.compressionaware.reference;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.NonNull;
import hudson.Extension;
import hudson.ExtensionList;
import hudson.FilePath;
import hudson.init.Terminator;
import hudson.model.Run;
import hudson.model.TaskListener;
import hudson.model.listeners.RunListener;
import io.jenkins.plugins.compressionaware.config.EffectiveSettings;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.engine.delta.ArchiveStats;
import io.jenkins.plugins.compressionaware.engine.delta.ChunkIndex;
import io.jenkins.plugins.compressionaware.engine.run.SharedLimit;
import io.jenkins.plugins.compressionaware.engine.run.Tasks;
import io.jenkins.plugins.compressionaware.report.BuildTransfersAction;
import io.jenkins.plugins.compressionaware.report.StageTimes;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import java.io.IOException;
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
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Indexes the chunks of a build's archive after the build, if a delta will save the next build time. One thread of low priority does this for all builds. */
@Extension
@Restricted(NoExternalUse.class)
public final class ChunkIndexer extends RunListener<Run<?, ?>> {
    private static final Logger LOGGER = Logger.getLogger(ChunkIndexer.class.getName());

    /** Maximum number of waiting tasks, two per build; further tasks are dropped. */
    private static final int MAX_QUEUED_TASKS = 100;

    /** Maximum number of waiting tasks of one job, so that its builds do not displace those of other jobs. */
    static final int MAX_TASKS_OF_JOB = MAX_QUEUED_TASKS / 4;

    /** Milliseconds subtracted from a transfer's duration for startup, such as loading the engine. */
    private static final long STARTUP_MILLIS = 500;

    /** Seconds to wait for the thread when Jenkins stops, because the disk may hang. */
    private static final long SHUTDOWN_SECONDS = 5;

    /** Divisor of an archive's raw bytes. If no more than the quotient was sent, the time per wire byte is not representative. */
    private static final int MIN_SENT_DIVISOR = 4;

    /** Builds to index, with nanoseconds per wire byte of their slowest agent; NaN if unknown for one agent. */
    private final Map<Run<?, ?>, Double> pending = new ConcurrentHashMap<>();

    private final SharedLimit waiting = new SharedLimit(MAX_QUEUED_TASKS, MAX_TASKS_OF_JOB);

    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(MAX_QUEUED_TASKS), task -> {
                Thread thread = new Thread(task, "artifact transfer: index");
                thread.setDaemon(true);
                thread.setPriority(Thread.MIN_PRIORITY);
                return thread;
            });

    public ChunkIndexer() {
        thread.allowCoreThreadTimeOut(true);
    }

    /**
     * Schedules indexing after the build's end, or now if the build has ended, because modules of a Maven build archive later.
     *
     * @param workspace workspace on the agent from which the build has just archived
     */
    public static void scheduleAfter(Run<?, ?> build, FilePath workspace) {
        ChunkIndexer indexer = ExtensionList.lookupSingleton(ChunkIndexer.class);
        indexer.pending.merge(build, ReferenceBuild.uplinkNanosPerByte(build, workspace), Math::max);
        if (!build.isLogUpdated()) {
            indexer.index(build);
        }
    }

    @Override
    public void onCompleted(Run<?, ?> build, @NonNull TaskListener listener) {
        index(build);
    }

    private void index(Run<?, ?> build) {
        Double link = pending.remove(build);
        BuildTransfersAction transfers = link == null ? null : build.getAction(BuildTransfersAction.class);
        if (transfers != null) {
            execute(build, () -> index(build, transfers, link));
        }
    }

    @Override
    public void onFinalized(Run<?, ?> build) {
        pending.remove(build);
        if (!EffectiveSettings.of(GlobalSettings.get(), build.getParent(), null)
                .settings()
                .reuse()) {
            execute(build, () -> deleteIndexes(build));
        }
    }

    /** Deletes the indexes of a job whose setting is off now, so that they are not used if it is switched on again. */
    private static void deleteIndexes(Run<?, ?> build) {
        try {
            ReferenceBuild.deleteIndexesBefore(build, Integer.MAX_VALUE);
        } catch (IOException e) {
            LOGGER.log(Level.FINE, e, () -> "Cannot delete the indexes before " + build);
        }
    }

    /** Aborts and deletes an unfinished index; the next build then uses an older reference build. */
    @Terminator
    public static void stop() throws InterruptedException {
        ThreadPoolExecutor thread = ExtensionList.lookupSingleton(ChunkIndexer.class).thread;
        thread.shutdownNow();
        if (!thread.awaitTermination(SHUTDOWN_SECONDS, TimeUnit.SECONDS)) {
            LOGGER.log(Level.FINE, "Indexing did not stop: the disk does not respond");
        }
    }

    /** Runs a task on the thread of low priority, unless too many tasks wait. */
    public static void execute(Run<?, ?> build, Runnable task) {
        if (!ExtensionList.lookupSingleton(ChunkIndexer.class)
                .execute(build.getParent().getFullName(), task)) {
            LOGGER.log(Level.FINE, "Cannot index {0}: no thread is available, or too many tasks wait", build);
        }
    }

    /** Returns whether the task of this job waits for the thread. */
    boolean execute(String job, Runnable task) {
        if (!waiting.tryAcquire(job, 1)) {
            return false;
        }
        boolean begun = Tasks.begin(thread, () -> {
            waiting.release(job, 1);
            task.run();
        });
        if (!begun) {
            waiting.release(job, 1);
        }
        return begun;
    }

    @Override
    public void onDeleted(Run<?, ?> build) {
        pending.remove(build);
    }

    private static void index(Run<?, ?> build, BuildTransfersAction transfers, double link) {
        try {
            ReferenceBuild.deleteIndexesBefore(build, 0);
            int before = ReferenceBuild.findIndexedBuild(build);
            ArchiveStats stats = stats(transfers.getTransfers(), ReferenceBuild.stats(build, before));
            boolean attempted = before > 0 && DeltaEstimator.isInFull(build.getNumber())
                    || transfers.getTransfers().stream().anyMatch(result -> result.referenceBuild > 0);
            // after an attempt, the next build's agents are offered a delta again, so the link that other jobs measured
            // is ignored
            double known = attempted ? Double.NaN : link;
            DeltaEstimator.IndexDecision next = stats == null
                    ? DeltaEstimator.IndexDecision.NOTHING
                    : DeltaEstimator.decideIndex(stats, known, attempted, before == 0 ? 0 : build.getNumber() - before);
            if (next == DeltaEstimator.IndexDecision.NOTHING) {
                return;
            }
            Path archive = ReferenceBuild.archive(build, build.getNumber());
            ChunkIndex index = next == DeltaEstimator.IndexDecision.RETRY_AFTER_BUILDS
                    ? ChunkIndex.withoutChunks(stats)
                    : ChunkIndex.of(archive, attempted || before == 0 ? stats : stats.withUnknownShare());
            if (next == DeltaEstimator.IndexDecision.INDEX
                    && !DeltaEstimator.isWorthwhile(index.stats(), known, index.signatureBytes())) {
                return;
            }
            index.write(archive.resolveSibling(ChunkIndex.FILE));
            ReferenceBuild.deleteIndexesBefore(build, before);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            LOGGER.log(Level.FINE, "Cannot index " + build, e);
        }
    }

    /**
     * Returns nanoseconds per wire byte of the slowest stage that handles only sent bytes, because a delta still reads and writes all files. Time
     * that no stage reports is attributed to the link, because a channel buffers a megabyte per lane before a write blocks.
     */
    public static double nanosPerWire(TransferResult result) {
        StageTimes busy = result.stageTimes;
        long spent = Math.max(0, result.duration - STARTUP_MILLIS);
        if (busy != null && busy.isComplete()) {
            spent = Math.max(
                    spent - busy.reading - busy.writing,
                    Math.max(Math.max(busy.compressing, busy.link), busy.decoding));
        }
        return TimeUnit.MILLISECONDS.toNanos(spent) / (double) result.wireBytes;
    }

    /**
     * Returns figures for the next build's estimate from this build's largest archive, preferably one with a delta.
     *
     * @param last figures of the reference build; null if there is none
     * @return null if nothing was archived without an interruption, whose time would count as the network's
     */
    @CheckForNull
    static ArchiveStats stats(List<TransferResult> transfers, @CheckForNull ArchiveStats last) {
        TransferResult largest = transfers.stream()
                .filter(result -> result.operation == TransferInfo.Operation.ARCHIVE
                        && result.wireBytes > 0
                        && result.rawBytes > 0
                        && result.interruptions == 0)
                .max(Comparator.comparing((TransferResult result) -> result.referenceBuild > 0)
                        .thenComparing(result -> result.rawBytes))
                .orElse(null);
        if (largest == null) {
            return null;
        }
        ArchiveStats before = last == null ? new ArchiveStats(0, 0, 0, 0, -1, 0) : last;
        boolean attempted = largest.referenceBuild > 0;
        double raw = largest.rawBytes;
        double sent = Math.max(1, raw - largest.reusedBytes);
        boolean isRepresentative = last == null || sent > raw / MIN_SENT_DIVISOR;
        double share = attempted ? largest.reusedBytes / raw : before.share();
        double nanosPerRaw = TimeUnit.MILLISECONDS.toNanos(Math.max(0, largest.duration - STARTUP_MILLIS)) / raw;
        return new ArchiveStats(
                largest.files,
                largest.rawBytes,
                isRepresentative ? largest.wireBytes / sent : before.wirePerRaw(),
                isRepresentative ? nanosPerWire(largest) : before.nanosPerWire(),
                share,
                !attempted
                        ? before.fruitlessBuilds()
                        : share < ArchiveStats.MIN_USEFUL_SHARE ? before.fruitlessBuilds() + 1 : 0,
                attempted ? before.fullNanosPerByte() : mean(before.fullNanosPerByte(), nanosPerRaw),
                attempted ? mean(before.deltaNanosPerByte(), nanosPerRaw) : before.deltaNanosPerByte());
    }

    /** Returns the mean, so that a build that was slow by chance has only half the weight. */
    private static double mean(double before, double now) {
        return before < 0 ? now : (before + now) / 2;
    }
}
