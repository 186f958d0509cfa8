package io.jenkins.plugins.compressionaware.ui;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.report.TransferInfo;
import io.jenkins.plugins.compressionaware.report.TransferProgress;
import java.util.concurrent.TimeUnit;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/**
 * A row of the table of running transfers.
 *
 * @param job      full name; null if the user may not read the job
 * @param url      URL of the build, relative to Jenkins' root URL; null if the user may not read the job
 * @param duration milliseconds
 * @param percent  progress; -1 if the total is unknown
 */
@ExportedBean(defaultVisibility = 2)
@Restricted(NoExternalUse.class)
public record RunningTransferRow(
        @Exported TransferInfo.Operation operation,
        @Exported @CheckForNull String job,
        @CheckForNull String url,
        @Exported int build,
        @Exported String agent,
        @Exported long duration,
        @Exported long channelBytes,
        @Exported long directBytes,
        @Exported int percent) {
    static RunningTransferRow of(TransferProgress running) {
        TransferInfo transfer = running.transfer();
        JobReference name = JobReference.of(transfer.job());
        long all = running.totalBytes();
        return new RunningTransferRow(
                transfer.operation(),
                name.fullName(),
                name.url() == null ? null : name.url() + transfer.build() + '/',
                transfer.build(),
                transfer.agent(),
                TimeUnit.NANOSECONDS.toMillis(running.nanos()),
                running.channelBytes(),
                running.directBytes(),
                all <= 0 ? -1 : (int) (100 * running.completedBytes() / all));
    }

    public String getOperation() {
        return switch (operation) {
            case ARCHIVE -> Messages.RunningTransferRow_archive();
            case STASH -> Messages.RunningTransferRow_stash();
            case UNSTASH -> Messages.RunningTransferRow_unstash();
            case FETCH -> Messages.RunningTransferRow_fetch();
        };
    }

    public long getReceivedBytes() {
        return channelBytes + directBytes;
    }
}
