package io.jenkins.plugins.compressionaware.overview;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/** Sums with what they are of: a stretch of time, an agent or a job. */
@ExportedBean(defaultVisibility = 2)
public final class SumRow {
    /** Null for a job that the user may not read. */
    @Exported
    @CheckForNull
    public final String name;

    /** Below the root URL; null if there is no page, or none for this user. */
    @CheckForNull
    public final String url;

    @Exported(inline = true)
    public final Sums sums;

    SumRow(@CheckForNull String name, @CheckForNull String url, Sums sums) {
        this.name = name;
        this.url = url;
        this.sums = sums;
    }

    /** For the page, as are all that follow. */
    public String getRaw() {
        return Shown.bytes(sums.rawBytes);
    }

    public String getWire() {
        return Shown.bytes(sums.wireBytes);
    }

    public String getRatio() {
        return Shown.percent(sums.wireBytes, sums.rawBytes);
    }

    public String getTime() {
        return Shown.seconds(sums.duration);
    }

    public String getRate() {
        return sums.duration == 0 ? "\u2013" : Shown.megabytes(sums.rate());
    }

    public String getCpu() {
        return sums.cpuBytes == 0 ? "\u2013" : Shown.seconds(sums.cpu);
    }

    public String getWay() {
        return Shown.way(sums.directBytes, sums.wireBytes);
    }
}
