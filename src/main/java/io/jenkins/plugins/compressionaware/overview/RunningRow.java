package io.jenkins.plugins.compressionaware.overview;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.report.Transfer;
import io.jenkins.plugins.compressionaware.report.TransferProgress;
import java.util.concurrent.TimeUnit;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/** A transfer that runs now. Times are in milliseconds. */
@ExportedBean(defaultVisibility = 2)
@Restricted(NoExternalUse.class)
public final class RunningRow {
    @Exported
    public final Transfer.Kind kind;

    /** Full name; null if the user may not read the job. */
    @Exported
    @CheckForNull
    public final String job;

    /** URL of the build below the root URL; null if the user may not read the job. */
    @CheckForNull
    public final String url;

    @Exported
    public final int build;

    @Exported
    public final String agent;

    @Exported
    public final long duration;

    @Exported
    public final long channelBytes;

    @Exported
    public final long directBytes;

    /** Before the first byte. */
    @Exported
    public final long queued;

    /** Percent done; -1 if it is not known how much there is. */
    @Exported
    public final int percent;

    /** How long it will still take at the average speed so far; -1 if that is not known. */
    @Exported
    public final long left;

    RunningRow(TransferProgress running) {
        Transfer transfer = running.transfer();
        JobName name = JobName.of(transfer.job());
        kind = transfer.kind();
        job = name.fullName();
        url = name.url() == null ? null : name.url() + transfer.build() + '/';
        build = transfer.build();
        agent = transfer.agent();
        duration = TimeUnit.NANOSECONDS.toMillis(running.nanos());
        channelBytes = running.channelBytes();
        directBytes = running.directBytes();
        queued = TimeUnit.NANOSECONDS.toMillis(running.queuedNanos());
        long done = running.bytesDone();
        long all = running.bytesInAll();
        percent = all <= 0 ? -1 : (int) (100 * done / all);
        left = all <= 0 || done <= 0 ? -1 : Math.round((double) Math.max(0, all - done) / done * (duration - queued));
    }

    /** For the page. */
    public String getWhat() {
        return switch (kind) {
            case ARCHIVE -> Messages.RunningRow_archive();
            case STASH -> Messages.RunningRow_stash();
            case UNSTASH -> Messages.RunningRow_unstash();
            case FETCH -> Messages.RunningRow_fetch();
        };
    }

    public long getArrived() {
        return channelBytes + directBytes;
    }
}
