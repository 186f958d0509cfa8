package io.jenkins.plugins.compressionaware.stash;

import hudson.FilePath;
import hudson.model.Computer;
import io.jenkins.plugins.compressionaware.agent.FileSelection;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFile;
import io.jenkins.plugins.compressionaware.engine.framefile.FrameFileWriter;
import io.jenkins.plugins.compressionaware.engine.receive.FrameFileTarInputStream;
import io.jenkins.plugins.compressionaware.engine.receive.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveProgress;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.send.FrameFileSink;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.report.BuildLogMessages;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.transfer.DownloadTransfer;
import io.jenkins.plugins.compressionaware.transfer.StashCodecs;
import io.jenkins.plugins.compressionaware.transfer.UploadTransfer.PreCommitCheck;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;

/** Stashes and unstashes files of a workspace on the controller, where the controller itself compresses and unpacks. */
final class ControllerStash {
    private final Path workspace;
    private final PrintStream log;
    private final RunningTransfer running;
    private final ReceiveProgress progress = new ReceiveProgress();

    /** @param running a started transfer, which this object completes or fails */
    ControllerStash(FilePath workspace, PrintStream log, RunningTransfer running) {
        this.workspace = Path.of(workspace.getRemote());
        this.log = log;
        this.running = running;
        // no agent is involved
        progress.setWaiting(false);
        running.setProgress(progress);
    }

    /**
     * Stores the selected files as a frame file.
     *
     * @param partial path of the incomplete file, in the same folder; must not exist
     */
    TransferResult store(
            FileSelection.ByPattern files, Path file, Path partial, TransferSettings settings, PreCommitCheck verdict)
            throws IOException, InterruptedException {
        SendOptions options = StashCodecs.onController(settings.toSendOptions());
        return running.run(() -> {
            try (HeapBudget.Reservation heap = HeapBudget.ofThisJvm().open(FrameFileSink.heap(options), 0);
                    FrameFileWriter writer = new FrameFileWriter(file, partial, options.blockSize())) {
                SendReport sent = FrameFileSink.store(workspace, files.list(workspace.toFile()), options, writer);
                verdict.on(sent.entries());
                writer.commit();
                return running.completed(
                        sent,
                        ReceiveReport.untimed(
                                sent.entries(), sent.contentBytes(), writer.rawBytes(), writer.wireBytes(), 0));
            }
        });
    }

    /**
     * Unpacks all files.
     *
     * @throws IOException naming the first file that is missing
     */
    TransferResult unpack(FrameFile file) throws IOException, InterruptedException {
        return running.run(() -> {
            running.setExpectedBytes(file.rawBytes());
            ReceiveReport received;
            try {
                received = FrameFileTarInputStream.unpack(file, workspace, Computer.threadPoolForRemoting, progress);
            } catch (IOException e) {
                FilePath folder = new FilePath(workspace.toFile());
                throw new IOException(
                        new DownloadTransfer(folder, log, running).explain(file, file.name(), e.getMessage()), e);
            }
            received.warnings().forEach(warning -> log.println(BuildLogMessages.completed(warning)));
            return running.completed(
                    SendReport.ofFrameFile(received.entries(), received.contentBytes(), received.wireBytes(), null),
                    received);
        });
    }
}
