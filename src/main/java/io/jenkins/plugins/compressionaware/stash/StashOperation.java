package io.jenkins.plugins.compressionaware.stash;

import hudson.AbortException;
import hudson.FilePath;
import hudson.Launcher;
import hudson.model.Run;
import hudson.util.DirScanner;
import hudson.util.io.ArchiverFactory;
import io.jenkins.plugins.compressionaware.agent.FileSelection;
import io.jenkins.plugins.compressionaware.config.EffectiveSettings;
import io.jenkins.plugins.compressionaware.config.Exclusions;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings.DirectLane;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.transfer.DownloadTransfer;
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

/**
 * Runs one {@code stash} or {@code unstash} step. The log repeats core's messages word for word because scripts search
 * for them.
 *
 * @param folder folder of the files, on an agent or the controller
 */
@Restricted(NoExternalUse.class)
public record StashOperation(Run<?, ?> build, String name, FilePath folder, PrintStream log) {
    private StashFolder stashes() {
        return new StashFolder(build);
    }

    /**
     * Stores the selected files. After a failure, an existing stash of the same name is unchanged.
     *
     * @throws AbortException if no file is selected and {@code allowEmpty} is false
     */
    public void stash(FileSelection.ByPattern files, boolean allowEmpty, Launcher launcher)
            throws IOException, InterruptedException {
        if (stashes().find(name) != null) {
            log.println("Warning: overwriting stash ‘" + name + "’");
        }
        PreCommitCheck check = count -> {
            if (count == 0 && !allowEmpty) {
                throw new AbortException("No files included in stash ‘" + name + "’");
            }
            log.println("Stashed " + count + " file(s)");
        };
        GlobalSettings global = GlobalSettings.get();
        Path partial = stashes().newPartial();
        try (StagingJournal.Entry entry = StartupCleanup.journal().open(partial)) {
            if (global.exclusions().excludesAgent(Exclusions.agentOf(folder))) {
                storeAsCore(files, partial, check);
                return;
            }
            EffectiveSettings resolved = EffectiveSettings.of(global, build.getParent(), launcher);
            RunningTransfer running = RunningTransfer.start(
                    TransferInfo.Operation.STASH, build, folder, name, 0, resolved.overriddenBy(), log);
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
        Path file = stashes().framePath(name);
        TransferResult result = folder.isRemote()
                ? new UploadTransfer(folder, log, running).storeStash(file, partial, files, settings, check)
                : new ControllerStash(folder, log, running).store(files, file, partial, settings, check);
        stashes().deleteCoreFile(name);
        log.println(BuildLogMessages.completed(result));
    }

    private void storeAsCore(FileSelection.ByPattern files, Path partial, PreCommitCheck check)
            throws IOException, InterruptedException {
        try {
            int count;
            try (OutputStream out = Files.newOutputStream(partial)) {
                count = folder.archive(
                        ArchiverFactory.TARGZ,
                        out,
                        new DirScanner.Glob(files.antIncludes(), files.excludes(), files.useDefaultExcludes()));
            }
            check.on(count);
            stashes().commitCoreFile(name, partial);
        } finally {
            Files.deleteIfExists(partial);
        }
    }

    /**
     * Unpacks the stash, which may be in the format of this plugin or of Jenkins core.
     *
     * @throws AbortException if the stash does not exist
     */
    public void unstash() throws IOException, InterruptedException {
        Path stash = stashes().find(name);
        if (stash == null) {
            throw new AbortException("No such saved stash ‘" + name + "’");
        }
        if (StashFolder.isCoreFormat(stash)) {
            new FilePath(stash.toFile()).untar(folder, FilePath.TarCompression.GZIP);
            return;
        }
        try (FrameFile file = FrameFile.open(stash)) {
            RunningTransfer running =
                    RunningTransfer.start(TransferInfo.Operation.UNSTASH, build, folder, name, 0, null, log);
            TransferSettings settings = GlobalSettings.get().settings();
            TransferResult result = folder.isRemote()
                    ? new DownloadTransfer(folder, log, running).run(file, settings)
                    : new ControllerStash(folder, log, running).unpack(file);
            log.println(BuildLogMessages.completed(result));
        }
    }
}
