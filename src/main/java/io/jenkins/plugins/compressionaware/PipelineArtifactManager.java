package io.jenkins.plugins.compressionaware;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import edu.umd.cs.findbugs.annotations.NonNull;
import hudson.AbortException;
import hudson.EnvVars;
import hudson.FilePath;
import hudson.Launcher;
import hudson.model.Computer;
import hudson.model.Run;
import hudson.model.TaskListener;
import io.jenkins.plugins.compressionaware.agent.FileSelection;
import io.jenkins.plugins.compressionaware.engine.packed.PackedArchive;
import io.jenkins.plugins.compressionaware.engine.staging.StagedArchive;
import io.jenkins.plugins.compressionaware.packed.PackedVirtualFile;
import io.jenkins.plugins.compressionaware.packed.Unpacker;
import io.jenkins.plugins.compressionaware.report.StepFailure;
import io.jenkins.plugins.compressionaware.stash.StashFolder;
import io.jenkins.plugins.compressionaware.stash.StashOperation;
import io.jenkins.plugins.compressionaware.transfer.AgentTurn;
import io.jenkins.plugins.compressionaware.transfer.StartupCleanup;
import io.jenkins.plugins.compressionaware.transfer.StoreCleanup;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import jenkins.util.BuildListenerAdapter;
import jenkins.util.VirtualFile;
import org.jenkinsci.plugins.workflow.flow.StashManager;

/**
 * The artifact manager with support for stashes, used if Pipeline is installed. Only {@link CompressionAwareArtifactManager#of} references this class, and
 * builds are saved without it, so that the plugin and its builds load without Pipeline.
 */
final class PipelineArtifactManager extends CompressionAwareArtifactManager
        implements StashManager.StashAwareArtifactManager {
    PipelineArtifactManager(@CheckForNull Run<?, ?> build) {
        super(build);
    }

    @Override
    public void stash(
            @NonNull String name,
            @NonNull FilePath workspace,
            @NonNull Launcher launcher,
            @NonNull EnvVars env,
            @NonNull TaskListener listener,
            @CheckForNull String includes,
            @CheckForNull String excludes,
            boolean useDefaultExcludes,
            boolean allowEmpty)
            throws IOException, InterruptedException {
        FileSelection.ByPattern files = new FileSelection.ByPattern(includes, excludes, useDefaultExcludes);
        StepFailure.inOneLine(() -> {
            try (AgentTurn turn = AgentTurn.await(build, workspace, listener.getLogger())) {
                new StashOperation(build, name, workspace, listener.getLogger()).stash(files, allowEmpty, launcher);
            }
            return null;
        });
    }

    @Override
    public void unstash(
            @NonNull String name,
            @NonNull FilePath workspace,
            @NonNull Launcher launcher,
            @NonNull EnvVars env,
            @NonNull TaskListener listener)
            throws IOException, InterruptedException {
        StepFailure.inOneLine(() -> {
            try (AgentTurn turn = AgentTurn.await(build, workspace, listener.getLogger())) {
                new StashOperation(build, name, workspace, listener.getLogger()).unstash();
            }
            return null;
        });
    }

    @Override
    public void clearAllStashes(@NonNull TaskListener listener) throws IOException {
        try {
            new StashFolder(build).clear();
        } finally {
            StoreCleanup.takeUnused(build.getRootDir().toPath());
        }
    }

    @Override
    public void copyAllArtifactsAndStashes(@NonNull Run<?, ?> to, @NonNull TaskListener listener)
            throws IOException, InterruptedException {
        boolean isOurs = to.pickArtifactManager() instanceof CompressionAwareArtifactManager;
        if (!isOurs && to.pickArtifactManager() instanceof StashManager.StashAwareArtifactManager) {
            throw new AbortException("The stashes of " + build.getFullDisplayName()
                    + " cannot be copied: those of this build are kept elsewhere by another artifact manager");
        }
        copyArtifacts(to, listener);
        if (isOurs) {
            new StashFolder(build).copyTo(new StashFolder(to), StartupCleanup.journal());
        } else {
            new StashFolder(build)
                    .exportInCoreFormat(new StashFolder(to), StartupCleanup.journal(), Computer.threadPoolForRemoting);
        }
    }

    /** Archives the artifacts in the other build, as Jenkins core does. */
    @SuppressWarnings("deprecation") // no other API returns the archive folder of a build
    private void copyArtifacts(Run<?, ?> to, TaskListener listener) throws IOException, InterruptedException {
        File archive = build.getArtifactsDir();
        if (!(root() instanceof PackedVirtualFile)) {
            copyArtifacts(archive, null, to, listener);
            return;
        }
        try (StagedArchive unpacked = new StagedArchive(archive.toPath(), StartupCleanup.journal())) {
            Unpacker.unpack(archive.toPath(), unpacked.folder());
            copyArtifacts(unpacked.folder().toFile(), null, to, listener);
        }
        // newer than packed artifacts of the same name
        copyArtifacts(archive, PackedArchive.FOLDER + "/*.tar.zst", to, listener);
    }

    /** Fails, as Jenkins core does, if an artifact is below a link out of the folder, which an agent may have archived. */
    private void copyArtifacts(File folder, @CheckForNull String excludes, Run<?, ?> to, TaskListener listener)
            throws IOException, InterruptedException {
        Map<String, String> files = new HashMap<>();
        for (String path : VirtualFile.forFile(folder).list("**/*", excludes, false)) {
            files.put(path, path);
        }
        if (files.isEmpty()) {
            return;
        }
        Path real = folder.toPath().toRealPath();
        for (String path : files.keySet()) {
            Path parent = Objects.requireNonNull(real.resolve(path).getParent());
            if (!parent.toRealPath().startsWith(real)) {
                throw new IOException("Refused " + path + ": it leaves the archive folder");
            }
        }
        listener.getLogger().println("Copying " + files.size() + " artifact(s) from " + build.getDisplayName());
        to.pickArtifactManager()
                .archive(
                        new FilePath(folder),
                        new Launcher.LocalLauncher(listener),
                        new BuildListenerAdapter(listener),
                        files);
    }

    /** Saves the base class, so that the build loads without Pipeline. */
    private Object writeReplace() {
        return new CompressionAwareArtifactManager(build);
    }
}
