package io.jenkins.plugins.compressionaware;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import hudson.FilePath;
import hudson.Launcher;
import hudson.model.BuildListener;
import hudson.model.Computer;
import hudson.model.Node;
import hudson.model.Run;
import hudson.model.TaskListener;
import io.jenkins.plugins.compressionaware.config.EffectiveSettings;
import io.jenkins.plugins.compressionaware.config.Exclusions;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings.Storage;
import io.jenkins.plugins.compressionaware.engine.packed.PackedArchive;
import io.jenkins.plugins.compressionaware.engine.run.InterruptibleDiskTask;
import io.jenkins.plugins.compressionaware.engine.staging.StagedArchive;
import io.jenkins.plugins.compressionaware.packed.PackedRoots;
import io.jenkins.plugins.compressionaware.packed.PackedVirtualFile;
import io.jenkins.plugins.compressionaware.reference.ChunkIndexer;
import io.jenkins.plugins.compressionaware.reference.ReferenceBuild;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.StepFailure;
import io.jenkins.plugins.compressionaware.report.TransferInfo.Operation;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.store.S3Store;
import io.jenkins.plugins.compressionaware.transfer.AgentTurn;
import io.jenkins.plugins.compressionaware.transfer.StartupCleanup;
import io.jenkins.plugins.compressionaware.transfer.StoreTransfer;
import io.jenkins.plugins.compressionaware.transfer.UploadTransfer;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import jenkins.model.StandardArtifactManager;
import jenkins.util.BuildListenerAdapter;
import jenkins.util.SystemProperties;
import jenkins.util.VirtualFile;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Stores artifacts where core stores them, and transfers them faster. Has no fields because it is saved with each build, and a build must load after the
 * plugin's removal. Serves concurrent archive calls.
 */
@Restricted(NoExternalUse.class)
public class CompressionAwareArtifactManager extends StandardArtifactManager implements PackedRoots {
    CompressionAwareArtifactManager(@CheckForNull Run<?, ?> build) {
        super(build);
    }

    /** Creates a manager, which also handles stashes if Pipeline is installed. */
    static CompressionAwareArtifactManager of(@CheckForNull Run<?, ?> build) {
        return WITH_PIPELINE ? WithPipeline.manager(build) : new CompressionAwareArtifactManager(build);
    }

    private static final boolean WITH_PIPELINE = hasPipeline();

    private static boolean hasPipeline() {
        try {
            // fails if Pipeline is missing, disabled or too old: of the classes used here, this is the newest
            return Class.forName(
                            "org.jenkinsci.plugins.workflow.flow.StashManager$StashAwareArtifactManager",
                            false,
                            CompressionAwareArtifactManager.class.getClassLoader())
                    != null;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /** A separate class, because the JVM would load Pipeline classes to verify the enclosing class. */
    private static final class WithPipeline {
        static CompressionAwareArtifactManager manager(@CheckForNull Run<?, ?> build) {
            return new PipelineArtifactManager(build);
        }
    }

    /** Adapts the manager to the installed plugins, because a build saved with Pipeline may be loaded without Pipeline, or vice versa. */
    private Object readResolve() {
        return of(null);
    }

    /** Returns core's own answer unless artifacts are packed. */
    @Override
    public VirtualFile root() {
        VirtualFile packed = PackedVirtualFile.rootOf(artifactsDir().toFile());
        return packed == null ? super.root() : packed;
    }

    @Override
    public void archive(
            FilePath workspace, Launcher launcher, @CheckForNull BuildListener listener, Map<String, String> found)
            throws IOException, InterruptedException {
        // core's manager allows null, and other plugins pass null
        BuildListener log = listener == null ? new BuildListenerAdapter(TaskListener.NULL) : listener;
        StepFailure.inOneLine(() -> {
            try (AgentTurn turn = AgentTurn.await(build, workspace, log.getLogger())) {
                chooseAndArchive(workspace, launcher, log, found);
            }
            return null;
        });
    }

    private void chooseAndArchive(
            FilePath workspace, Launcher launcher, BuildListener listener, Map<String, String> found)
            throws IOException, InterruptedException {
        Computer computer = workspace.toComputer();
        boolean onWindows = computer != null && Boolean.FALSE.equals(computer.isUnix());
        Map<String, String> artifacts = onWindows ? new HashMap<>() : found;
        if (onWindows) {
            // core's tar converts names from Windows in the same way
            found.forEach((name, path) -> artifacts.put(name.replace('\\', '/'), path));
        }
        long start = System.nanoTime();
        GlobalSettings policy = GlobalSettings.get();
        Node agent = Exclusions.agentOf(workspace);
        if (!workspace.isRemote() || policy.exclusions().excludesAgent(agent)) {
            archiveAsCore(workspace, listener, artifacts, true);
            long nanos = System.nanoTime() - start;
            listener.getLogger()
                    .println(
                            workspace.isRemote()
                                    ? BuildLogMessages.archivedByCore(artifacts.size(), agent.getDisplayName(), nanos)
                                    : BuildLogMessages.copiedOnController(artifacts.size(), nanos));
        } else {
            EffectiveSettings resolved = EffectiveSettings.of(policy, build.getParent(), launcher);
            StoreTransfer.requireStore(resolved, workspace);
            // before the transfer starts, so that an abort during the search leaves no unfinished transfer
            boolean reuse = resolved.settings().reuse()
                    && resolved.settings().storage() == Storage.FILES
                    && resolved.store() == null;
            try (ReferenceBuild reference = reuse ? ReferenceBuild.of(build, workspace, artifacts.keySet()) : null) {
                archiveRemotely(workspace, listener, artifacts, resolved, reference);
            }
        }
    }

    private void archiveRemotely(
            FilePath workspace,
            BuildListener listener,
            Map<String, String> artifacts,
            EffectiveSettings resolved,
            @CheckForNull ReferenceBuild reference)
            throws IOException, InterruptedException {
        RunningTransfer running = RunningTransfer.start(
                Operation.ARCHIVE,
                build,
                workspace,
                null,
                artifacts.size(),
                resolved.overriddenBy(),
                listener.getLogger());
        try {
            UploadTransfer transfer = new UploadTransfer(workspace, listener.getLogger(), running);
            S3Store store = resolved.store();
            boolean packed = store != null || resolved.settings().storage() == Storage.PACKED;
            TransferResult result = store != null
                    ? new StoreTransfer(transfer, store).archive(artifacts, artifactsDir(), resolved.settings())
                    : packed
                            ? transfer.pack(artifacts, artifactsDir(), resolved.settings())
                            : transfer.archive(artifacts, artifactsDir(), resolved.settings(), reference);
            if (!packed && resolved.settings().reuse()) {
                ChunkIndexer.scheduleAfter(build, workspace);
            }
            listener.getLogger().println(BuildLogMessages.completed(result));
        } catch (IOException e) {
            if (!resolved.mayFallBack() || !UploadTransfer.isClassConflict(e)) {
                throw e;
            }
            listener.getLogger().println(BuildLogMessages.classConflict(running.transfer(), e));
            // names are checked, because a malicious agent may fail deliberately
            archiveAsCore(workspace, listener, artifacts, false);
        }
    }

    /**
     * Archives with core's transfer, but into a staging folder, because another step of the build may write to the archive concurrently.
     *
     * @param trusted whether to accept all names that the agent sends, as core does
     */
    void archiveAsCore(FilePath workspace, BuildListener listener, Map<String, String> artifacts, boolean trusted)
            throws IOException, InterruptedException {
        StagedArchive staged = new StagedArchive(artifactsDir(), StartupCleanup.journal());
        InterruptibleDiskTask disk = new InterruptibleDiskTask(Computer.threadPoolForRemoting);
        try (Closeable cleanup = () -> disk.runCleanup(staged)) {
            copyAsCore(workspace, artifacts, staged.folder(), trusted);
            PackedArchive.refuseForged(staged.folder());
            UploadTransfer.commit(staged::commit, listener.getLogger());
        }
    }

    /**
     * Copies files from a workspace to a folder with core's transfer.
     *
     * @param trusted whether to accept all names that the agent sends, as core does
     */
    public static void copyAsCore(FilePath workspace, Map<String, String> artifacts, Path folder, boolean trusted)
            throws IOException, InterruptedException {
        boolean uncompressed =
                SystemProperties.getBoolean(StandardArtifactManager.class.getName() + ".disableTrafficCompression");
        workspace.copyRecursiveTo(
                new FilePath.ExplicitlySpecifiedDirScanner(artifacts),
                new FilePath(folder.toFile()),
                "transfer of " + artifacts.size() + " files",
                uncompressed ? FilePath.TarCompression.NONE : FilePath.TarCompression.GZIP);
        if (!trusted) {
            rejectUnrequestedFiles(folder, artifacts.keySet());
        }
    }

    /** Keeps only one folder open, at any depth. */
    static void rejectUnrequestedFiles(Path staged, Set<String> names) throws IOException {
        Set<Path> requested = new HashSet<>();
        for (String name : names) {
            Path path = new File(staged.toFile(), name).toPath().normalize();
            if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                // spelled as on the disk, because the walk below returns that spelling
                requested.add(path.toRealPath(LinkOption.NOFOLLOW_LINKS));
            }
        }
        Deque<Path> folders = new ArrayDeque<>(List.of(staged));
        while (!folders.isEmpty()) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folders.pop())) {
                for (Path file : files) {
                    if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
                        folders.push(file);
                    } else if (!requested.contains(file)) {
                        throw new IOException("Refused " + staged.relativize(file) + ": it was not requested");
                    }
                }
            } catch (DirectoryIteratorException e) {
                throw e.getCause();
            }
        }
    }

    // StandardArtifactManager also uses the deprecated method, which has no replacement
    @SuppressWarnings("deprecation")
    private Path artifactsDir() {
        return build.getArtifactsDir().toPath();
    }
}
