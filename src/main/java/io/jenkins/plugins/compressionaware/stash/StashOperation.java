package io.jenkins.plugins.compressionaware.stash;

import hudson.AbortException;
import hudson.FilePath;
import hudson.Launcher;
import hudson.model.Node;
import hudson.model.Run;
import hudson.model.TaskListener;
import hudson.util.DirScanner;
import hudson.util.io.ArchiverFactory;
import io.jenkins.plugins.compressionaware.agent.FileSelection;
import io.jenkins.plugins.compressionaware.config.EffectiveSettings;
import io.jenkins.plugins.compressionaware.config.Exclusions;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.transfer.StartupCleanup;
import io.jenkins.plugins.compressionaware.transfer.UploadTransfer;
import io.jenkins.plugins.compressionaware.transfer.UploadTransfer.PreCommitCheck;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/** Runs one {@code stash} step. The log repeats core's messages word for word because scripts search for them. */
@Restricted(NoExternalUse.class)
public final class StashOperation {
    private final Run<?, ?> build;
    private final String name;
    private final FilePath workspace;
    private final Launcher launcher;
    private final PrintStream log;
    private final StashFolder stashes;

    public StashOperation(Run<?, ?> build, String name, FilePath workspace, Launcher launcher, TaskListener listener) {
        this.build = build;
        this.name = name;
        this.workspace = workspace;
        this.launcher = launcher;
        log = listener.getLogger();
        stashes = new StashFolder(build);
    }

    /**
     * Stores the selected files. After a failure, an existing stash of the same name is unchanged.
     *
     * @throws AbortException if no file is selected and {@code allowEmpty} is false
     */
    public void run(FileSelection.ByPattern files, boolean allowEmpty) throws IOException, InterruptedException {
        if (stashes.find(name) != null) {
            log.println("Warning: overwriting stash ‘" + name + "’");
        }
        PreCommitCheck check = count -> {
            if (count == 0 && !allowEmpty) {
                throw new AbortException("No files included in stash ‘" + name + "’");
            }
            log.println("Stashed " + count + " file(s)");
        };
        GlobalSettings global = GlobalSettings.get();
        Path partial = stashes.newPartial();
        try (StagingJournal.Entry entry = StartupCleanup.journal().open(partial)) {
            if (global.exclusions().excludesAgent(Exclusions.agentOf(workspace))) {
                storeAsCore(files, partial, check);
                return;
            }
            EffectiveSettings resolved = EffectiveSettings.of(global, build.getParent(), launcher);
            RunningTransfer running = RunningTransfer.start(
                    TransferInfo.Operation.STASH, build, agentOf(workspace), name, 0, resolved.overriddenBy(), log);
            try {
                storeFrames(files, partial, resolved.settings(), running, check);
            } catch (IOException e) {
                if (!UploadTransfer.isClassConflict(e) || resolved.settings().directLane() == DirectLane.REQUIRED) {
                    throw e;
                }
                log.println(BuildLogMessages.classConflict(running.transfer(), e));
                storeAsCore(files, partial, check);
            }
        }
    }

    private void storeFrames(
            FileSelection.ByPattern files,
            Path partial,
            TransferSettings settings,
            RunningTransfer running,
            PreCommitCheck check)
            throws IOException, InterruptedException {
        Path file = stashes.framePath(name);
        TransferResult result = workspace.isRemote()
                ? new UploadTransfer(workspace, log, running).storeStash(file, partial, files, settings, check)
                : new ControllerStash(workspace, log, running).store(files, file, partial, settings, check);
        stashes.deleteCoreFile(name);
        log.println(BuildLogMessages.completed(result));
    }

    private void storeAsCore(FileSelection.ByPattern files, Path partial, PreCommitCheck check)
            throws IOException, InterruptedException {
        try {
            int count;
            try (OutputStream out = Files.newOutputStream(partial)) {
                count = workspace.archive(
                        ArchiverFactory.TARGZ,
                        out,
                        new DirScanner.Glob(files.antIncludes(), files.excludes(), files.useDefaultExcludes()));
            }
            check.on(count);
            stashes.commitCoreFile(name, partial);
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    /**
     * Returns the agent's name for {@link TransferInfo}: empty without a node, {@link TransferInfo#CONTROLLER} for the
     * built-in node.
     */
    static String agentOf(FilePath workspace) {
        Node node = Exclusions.agentOf(workspace);
        if (node == null) {
            return "";
        }
        return node.getNodeName().isEmpty() ? TransferInfo.CONTROLLER : node.getNodeName();
    }
}
