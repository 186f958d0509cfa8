package io.jenkins.plugins.compressionaware.stash;

import hudson.FilePath;
import hudson.model.Computer;
import io.jenkins.plugins.compressionaware.transfer.AgentTransfer.Verdict;
import io.jenkins.plugins.compressionaware.transfer.Storable;
import io.jenkins.plugins.compressionaware.transfer.UnstashTransfer;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.engine.receive.HeapBudget;
import io.jenkins.plugins.compressionaware.engine.receive.Progress;
import io.jenkins.plugins.compressionaware.engine.receive.ReceiveReport;
import io.jenkins.plugins.compressionaware.engine.receive.StoredTar;
import io.jenkins.plugins.compressionaware.agent.Selection;
import io.jenkins.plugins.compressionaware.report.LogLine;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferResult;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.engine.send.SendReport;
import io.jenkins.plugins.compressionaware.engine.send.StoredFileSink;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredFrames;
import io.jenkins.plugins.compressionaware.engine.framefile.StoredWriter;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;

/** A stash of a workspace on the controller: nothing travels, and this machine compresses and unpacks. */
final class LocalStash {
    private final Path workspace;
    private final PrintStream log;
    private final RunningTransfer running;
    private final Progress progress = new Progress();

    /** @param running just started; ended by this class */
    LocalStash(FilePath workspace, PrintStream log, RunningTransfer running) {
        this.workspace = Path.of(workspace.getRemote());
        this.log = log;
        this.running = running;
        // there is nobody to wait for
        progress.waits(false);
        running.follow(progress);
    }

    /**
     * Stores files.
     *
     * @param partial path beside the file until that is complete; must not exist
     */
    TransferResult store(Selection.Matching files, Path file, Path partial, TransferSettings settings, Verdict verdict)
            throws IOException, InterruptedException {
        SendOptions options = Storable.here(settings.toSendOptions());
        return running.run(() -> {
            try (HeapBudget.Account heap = HeapBudget.ofThisJvm().open(StoredFileSink.heap(options), 0);
                    StoredWriter writer = new StoredWriter(file, partial, options.blockSize())) {
                SendReport sent = StoredFileSink.store(workspace, files.in(workspace.toFile()), options, writer);
                verdict.on(sent.entries());
                writer.commit();
                return running.completed(
                        sent,
                        ReceiveReport.untimed(
                                sent.entries(), sent.contentBytes(), writer.rawBytes(), writer.wireBytes(), 0));
            }
        });
    }

    /** Unpacks all files, or fails with a message that names the first that is missing. */
    TransferResult unpack(StoredFrames file) throws IOException, InterruptedException {
        return running.run(() -> {
            running.expect(file.rawBytes());
            ReceiveReport received;
            try {
                received = StoredTar.unpack(file, workspace, Computer.threadPoolForRemoting, progress);
            } catch (IOException e) {
                FilePath folder = new FilePath(workspace.toFile());
                throw new IOException(
                        new UnstashTransfer(folder, log, running).explain(file, file.name(), e.getMessage()), e);
            }
            received.warnings().forEach(warning -> log.println(LogLine.of(warning)));
            return running.completed(
                    SendReport.ofStored(received.entries(), received.contentBytes(), received.wireBytes(), null),
                    received);
        });
    }
}
