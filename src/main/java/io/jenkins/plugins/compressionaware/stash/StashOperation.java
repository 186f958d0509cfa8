package io.jenkins.plugins.compressionaware.stash;

import hudson.AbortException;
import hudson.FilePath;
import hudson.Launcher;
import hudson.model.Computer;
import hudson.model.Run;
import hudson.util.DirScanner;
import hudson.util.io.ArchiverFactory;
import io.jenkins.plugins.compressionaware.agent.FileSelection;
import io.jenkins.plugins.compressionaware.config.EffectiveSettings;
import io.jenkins.plugins.compressionaware.config.Exclusions;
import io.jenkins.plugins.compressionaware.config.GlobalSettings;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.engine.flow.Figures;
import io.jenkins.plugins.compressionaware.engine.flow.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredRecord;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileTarInputStream;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveProgress;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.receive.Receiver;
import io.jenkins.plugins.compressionaware.engine.run.InterruptibleDiskTask;
import io.jenkins.plugins.compressionaware.engine.send.FrameFileSink;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.engine.staging.StagingJournal;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.store.S3Store;
import io.jenkins.plugins.compressionaware.store.StoreLocation;
import io.jenkins.plugins.compressionaware.transfer.DownloadTransfer;
import io.jenkins.plugins.compressionaware.transfer.StartupCleanup;
import io.jenkins.plugins.compressionaware.transfer.StashCodecs;
import io.jenkins.plugins.compressionaware.transfer.StoreCleanup;
import io.jenkins.plugins.compressionaware.transfer.StoreTransfer;
import io.jenkins.plugins.compressionaware.transfer.UploadTransfer;
import io.jenkins.plugins.compressionaware.transfer.UploadTransfer.PreCommitCheck;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;

/**
 * Runs one {@code stash} or {@code unstash} step. The log repeats core's messages word for word because scripts search for them.
 *
 * @param folder folder of the files, on an agent or the controller
 */
@Restricted(NoExternalUse.class)
public record StashOperation(Run<?, ?> build, String name, FilePath folder, PrintStream log) {
    private StashFolder stashes() {
        return new StashFolder(build);
    }

    private Path buildFolder() {
        return build.getRootDir().toPath();
    }

    private static InterruptibleDiskTask newDiskTask() {
        return new InterruptibleDiskTask(Computer.threadPoolForRemoting);
    }

    /**
     * Stores the selected files. After a failure, an existing stash of the same name is unchanged.
     *
     * @throws AbortException if no file is selected and {@code allowEmpty} is false
     */
    public void stash(FileSelection.ByPattern files, boolean allowEmpty, Launcher launcher)
            throws IOException, InterruptedException {
        if (newDiskTask().call(() -> stashes().find(name)) != null) {
            log.println("Warning: overwriting stash ‘" + name + "’");
        }
        PreCommitCheck check = count -> {
            if (count == 0 && !allowEmpty) {
                throw new AbortException("No files included in stash ‘" + name + "’");
            }
            log.println("Stashed " + count + " file(s)");
        };
        GlobalSettings global = GlobalSettings.get();
        if (global.exclusions().excludesAgent(Exclusions.agentOf(folder))) {
            storeAsCore(files, check);
            return;
        }
        EffectiveSettings resolved = EffectiveSettings.of(global, build.getParent(), launcher);
        StoreTransfer.requireStore(resolved, folder);
        RunningTransfer running = RunningTransfer.start(
                TransferInfo.Operation.STASH, build, folder, name, 0, resolved.overriddenBy(), log);
        try {
            storeFrames(files, resolved, running, check);
        } catch (IOException e) {
            if (!resolved.mayFallBack() || !UploadTransfer.isClassConflict(e)) {
                throw e;
            }
            log.println(BuildLogMessages.classConflict(running.transfer(), e));
            storeAsCore(files, check);
        }
    }

    private void storeFrames(
            FileSelection.ByPattern files, EffectiveSettings resolved, RunningTransfer running, PreCommitCheck check)
            throws IOException, InterruptedException {
        StagingJournal journal = StartupCleanup.journal();
        TransferSettings settings = resolved.settings();
        S3Store store = resolved.store();
        UploadTransfer upload = new UploadTransfer(folder, log, running);
        Receiver.FrameFileFactory file = blockSize -> stashes().newFrameFile(name, journal, blockSize);
        StoreTransfer.Saving saving = (session, record, count) -> {
            check.on(count);
            stashes().addRecord(name, journal, record, session.packedEnd().bytes());
        };
        TransferResult result = !folder.isRemote()
                ? storeOnController(files, file, settings, running, check)
                : store == null
                        ? upload.storeStash(file, files, settings, check)
                        : new StoreTransfer(upload, store).run(files, null, settings, this::buildFolder, saving);
        running.disk().call(() -> {
            stashes().deleteCoreFile(name);
            StoreCleanup.takeUnused(buildFolder());
            return null;
        });
        log.println(BuildLogMessages.completed(result));
    }

    /** Compresses the files on the controller; no agent is involved. */
    private TransferResult storeOnController(
            FileSelection.ByPattern files,
            Receiver.FrameFileFactory file,
            TransferSettings settings,
            RunningTransfer running,
            PreCommitCheck check)
            throws IOException, InterruptedException {
        setOwnProgress(running);
        SendOptions options = StashCodecs.onController(settings.onController());
        Path workspace = Path.of(folder.getRemote());
        return running.run(() -> running.disk()
                .<Supplier<TransferResult>>call(() -> {
                    try (HeapBudget.Reservation heap = HeapBudget.ofThisJvm().open(FrameFileSink.heap(options), 0);
                            FrameFileWriter writer = file.create(options.blockSize())) {
                        SendReport sent =
                                FrameFileSink.store(workspace, files.list(workspace.toFile()), options, writer);
                        check.on(sent.figures().entries());
                        writer.commit();
                        return () -> running.completed(
                                sent,
                                ReceiveReport.of(Figures.counts(
                                        sent.figures().entries(),
                                        sent.figures().contentBytes(),
                                        writer.rawBytes(),
                                        writer.wireBytes(),
                                        0)));
                    }
                })
                .get());
    }

    /** Sets and returns the progress of a transfer that waits for no agent. */
    private static ReceiveProgress setOwnProgress(RunningTransfer running) {
        ReceiveProgress progress = new ReceiveProgress();
        progress.setWaiting(false);
        running.setProgress(progress);
        return progress;
    }

    private void storeAsCore(FileSelection.ByPattern files, PreCommitCheck check)
            throws IOException, InterruptedException {
        stashes().addCoreFile(name, StartupCleanup.journal(), partial -> {
            int count;
            try (OutputStream out = Files.newOutputStream(partial)) {
                count = folder.archive(
                        ArchiverFactory.TARGZ,
                        out,
                        new DirScanner.Glob(files.antIncludes(), files.excludes(), files.useDefaultExcludes()));
            }
            check.on(count);
        });
        StoreCleanup.takeUnused(buildFolder());
    }

    /**
     * Unpacks the stash, which may be in the format of this plugin or of Jenkins core.
     *
     * @throws AbortException if the stash does not exist
     */
    public void unstash() throws IOException, InterruptedException {
        InterruptibleDiskTask disk = newDiskTask();
        Path stash = disk.call(() -> stashes().find(name));
        if (stash == null) {
            throw new AbortException("No such saved stash ‘" + name + "’");
        }
        if (disk.call(() -> StashFolder.isCoreFormat(stash))) {
            new FilePath(stash.toFile()).untar(folder, FilePath.TarCompression.GZIP);
            return;
        }
        try (FrameFile file = disk.open(() -> FrameFile.open(stash))) {
            RunningTransfer running =
                    RunningTransfer.start(TransferInfo.Operation.UNSTASH, build, folder, name, 0, null, log);
            TransferSettings settings = GlobalSettings.get().settings();
            TransferResult result = folder.isRemote()
                    ? new DownloadTransfer(folder, log, running).run(file, settings)
                    : unpackOnController(file, running);
            log.println(BuildLogMessages.completed(result));
        }
    }

    /**
     * Unpacks all files on the controller; no agent is involved.
     *
     * @throws IOException naming the first file that is missing
     */
    private TransferResult unpackOnController(FrameFile file, RunningTransfer running)
            throws IOException, InterruptedException {
        ReceiveProgress progress = setOwnProgress(running);
        return running.run(() -> {
            StoredRecord stored = file.stored();
            running.setStore(
                    stored == null ? null : StoreLocation.parse(stored.store()).name());
            running.setExpectedBytes(file.rawBytes());
            ReceiveReport received;
            try {
                received = FrameFileTarInputStream.unpack(
                        file, Path.of(folder.getRemote()), Computer.threadPoolForRemoting, progress);
            } catch (IOException e) {
                throw new DownloadTransfer(folder, log, running).failure(file, e);
            }
            received.warnings().forEach(warning -> log.println(BuildLogMessages.completed(warning)));
            return running.completed(SendReport.ofFrameFile(received.figures(), null), received);
        });
    }
}
