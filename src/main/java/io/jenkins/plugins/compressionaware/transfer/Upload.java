package io.jenkins.plugins.compressionaware.transfer;

import edu.umd.cs.findbugs.annotations.Nullable;
import hudson.FilePath;
import io.jenkins.plugins.compressionaware.config.TransferSettings;
import io.jenkins.plugins.compressionaware.engine.send.SendOptions;
import io.jenkins.plugins.compressionaware.reference.ReferenceBuild;
import io.jenkins.plugins.compressionaware.report.RunningTransfer;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import java.io.PrintStream;
import java.util.function.LongSupplier;

/**
 * One upload, as its bootstrap calls and its engine share it: where the files are, and how to send them.
 *
 * @param reference build whose content is reused; null to send everything
 */
record Upload(
        Reconnection connection,
        PrintStream log,
        RunningTransfer running,
        LongSupplier clock,
        TransferSettings settings,
        SendOptions options,
        @Nullable ReferenceBuild reference) {
    /** Returns the workspace over the present connection. */
    FilePath workspace() {
        return connection.workspace;
    }

    Upload withoutReference() {
        return new Upload(connection, log, running, clock, settings, options, null);
    }

    /** Returns the user's message for a failure with this reason. */
    String explain(String reason) {
        TransferInfo transfer = running.transfer();
        String folder = workspace().getRemote();
        return transfer.operation() == TransferInfo.Operation.STASH
                ? Messages.UploadTransfer_stashFailed(transfer.stash(), folder, transfer.agent(), reason)
                : Messages.UploadTransfer_failed(folder, transfer.agent(), reason);
    }
}
