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
import io.jenkins.plugins.compressionaware.config.GlobalPolicy;
import io.jenkins.plugins.compressionaware.engine.delta.Facts;
import io.jenkins.plugins.compressionaware.engine.delta.Index;
import io.jenkins.plugins.compressionaware.report.BuildTransfers;
import io.jenkins.plugins.compressionaware.report.StageTimes;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.report.TransferListener;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.engine.staging.UnchangedFiles;
import io.jenkins.plugins.compressionaware.engine.tar.Tasks;
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
public final class Indexing extends RunListener<Run<?, ?>> {
    private static final Logger LOGGER = Logger.getLogger(Indexing.class.getName());

    /** Tasks that wait, two per build; further ones are dropped. */
    private static final int WAITING = 100;

    /** Milliseconds taken off a transfer for finding the agent's engine and the like. */
    private static final long START = 500;

    /** Seconds to wait for the thread when Jenkins stops: its disk may hang. */
    private static final long STOP = 5;

    /** A smaller sent part than one in so many says nothing about the cost per byte. */
    private static final int LITTLE = 4;

    /** Builds that may get an index, and nanoseconds per wire byte from the slowest of their agents; NaN if that is not known of one. */
    private final Map<Run<?, ?>, Double> wanted = new ConcurrentHashMap<>();

    private final ThreadPoolExecutor thread =
            new ThreadPoolExecutor(1, 1, 1, TimeUnit.MINUTES, new ArrayBlockingQueue<>(WAITING), task -> {
                Thread made = new Thread(task, "artifact transfer: index");
                made.setDaemon(true);
                made.setPriority(Thread.MIN_PRIORITY);
                return made;
            });

    public Indexing() {
        thread.allowCoreThreadTimeOut(true);
    }

    /**
     * Requests an index of the build after its end. A build that has ended gets its index now, because modules of a Maven build archive after their
     * end.
     *
     * @param workspace on an agent from which it has just archived
     */
    public static void mayFollow(Run<?, ?> build, FilePath workspace) {
        Indexing indexing = ExtensionList.lookupSingleton(Indexing.class);
        indexing.wanted.merge(build, EarlierBuild.link(build, workspace), Math::max);
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
        BuildTransfers transfers = link == null ? null : build.getAction(BuildTransfers.class);
        if (transfers != null) {
            execute(build, () -> index(build, transfers, link));
        }
    }

    /** Shares files now that nothing in Jenkins archives into the build any more: a write into a hard link would change earlier builds. */
    @Override
    public void onFinalized(Run<?, ?> build) {
        wanted.remove(build);
        GlobalPolicy policy = GlobalPolicy.configured();
        UnchangedFiles.Sharing sharing = policy.sharing();
        if (sharing != null
                && build.getArtifactManager() instanceof StandardArtifactManager
                && !policy.exclusions().fromBuild(build)) {
            execute(build, () -> share(build, sharing));
        }
    }

    // the only way to a build's archive folder
    @SuppressWarnings("deprecation")
    private static void share(Run<?, ?> build, UnchangedFiles.Sharing sharing) {
        try {
            Path archive = build.getArtifactsDir().toPath();
            Path earlier = before(build);
            if (earlier == null || build.isLogUpdated() || !Files.isDirectory(archive)) {
                return;
            }
            long shared = UnchangedFiles.share(earlier, archive, sharing, UnderWay.notes());
            if (shared > 0) {
                String job = build.getParent().getFullName();
                ExtensionList.lookup(TransferListener.class).forEach(listener -> listener.shared(job, shared));
            }
        } catch (IOException | RuntimeException | OutOfMemoryError e) { // all files are still there
            LOGGER.log(Level.FINE, e, () -> build + " shares no files");
        }
    }

    /** The archive of the last build that is over: Jenkins itself may archive into a running one, once this plugin is gone. */
    @CheckForNull
    @SuppressWarnings("deprecation")
    private static Path before(Run<?, ?> build) {
        Run<?, ?> earlier = build.getPreviousBuild();
        for (int i = 0; i < EarlierBuild.LOOK && earlier != null; i++) {
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
        ThreadPoolExecutor thread = ExtensionList.lookupSingleton(Indexing.class).thread;
        thread.shutdownNow();
        if (!thread.awaitTermination(STOP, TimeUnit.SECONDS)) {
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
    private static void index(Run<?, ?> build, BuildTransfers transfers, double link) {
        try {
            EarlierBuild.forgetBefore(build, 0);
            int before = EarlierBuild.indexed(build);
            Facts facts = facts(transfers.getTransfers(), EarlierBuild.facts(build, before));
            boolean asked = before > 0 && Prediction.isInFull(build.getNumber())
                    || transfers.getTransfers().stream().anyMatch(result -> result.earlierBuild > 0);
            // agents that were told will be told again: then other jobs' measurements of their link do not count
            double known = asked ? Double.NaN : link;
            Prediction.Next next = facts == null
                    ? Prediction.Next.NOTHING
                    : Prediction.next(facts, known, asked, before == 0 ? 0 : build.getNumber() - before);
            if (next == Prediction.Next.NOTHING) {
                return;
            }
            Path archive = build.getArtifactsDir().toPath();
            Index index = next == Prediction.Next.REST
                    ? Index.none(facts)
                    : Index.of(archive, asked || before == 0 ? facts : facts.anew());
            if (next == Prediction.Next.INDEX && !Prediction.pays(index.facts(), known, index.offerBytes())) {
                return;
            }
            index.write(archive.resolveSibling(Index.FILE));
            EarlierBuild.forgetBefore(build, before);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            LOGGER.log(Level.FINE, "No index of " + build, e);
        }
    }

    /**
     * Nanoseconds of the slowest stage that only sent bytes pass: all files are read and written, anyway. Time that no stage explains was spent on the way: a
     * channel takes a megabyte of each lane before a write to it waits.
     */
    private static long nanos(TransferResult result) {
        StageTimes busy = result.busy;
        long spent = Math.max(0, result.duration - START);
        if (busy != null && busy.isWhole()) {
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
    static Facts facts(List<TransferResult> transfers, @CheckForNull Facts last) {
        TransferResult largest = transfers.stream()
                .filter(result -> result.kind == Transfer.Kind.ARCHIVE && result.wireBytes > 0 && result.rawBytes > 0)
                .max(Comparator.comparing((TransferResult result) -> result.earlierBuild > 0)
                        .thenComparing(result -> result.rawBytes))
                .orElse(null);
        if (largest == null) {
            return null;
        }
        Facts before = last == null ? new Facts(0, 0, 0, 0, -1, 0) : last;
        boolean asked = largest.earlierBuild > 0;
        double raw = largest.rawBytes;
        double sent = Math.max(1, raw - largest.earlierBytes);
        boolean tells = last == null || sent > raw / LITTLE;
        double share = asked ? largest.earlierBytes / raw : before.share();
        double took = TimeUnit.MILLISECONDS.toNanos(Math.max(0, largest.duration - START)) / raw;
        return new Facts(
                largest.files,
                largest.rawBytes,
                tells ? largest.wireBytes / sent : before.wirePerRaw(),
                tells ? nanosPerWire(largest) : before.nanosPerWire(),
                share,
                !asked ? before.misses() : share < Facts.LEAST_SHARE ? before.misses() + 1 : 0,
                asked ? before.full() : mean(before.full(), took),
                asked ? mean(before.shortened(), took) : before.shortened());
    }

    /** Returns the mean, so that one build that was slow by chance counts only half. */
    private static double mean(double before, double now) {
        return before < 0 ? now : (before + now) / 2;
    }
}
