package io.jenkins.plugins.compressionaware.overview;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.report.Totals;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/** Totals of a stretch of time, an agent or a job. */
@ExportedBean(defaultVisibility = 2)
@Restricted(NoExternalUse.class)
public final class NamedTotals {
    /** Null for a job that the user may not read. */
    @Exported
    @CheckForNull
    public final String name;

    /** Below the root URL; null if there is no page, or none for this user. */
    @CheckForNull
    public final String url;

    @Exported(inline = true)
    public final Totals sums;

    NamedTotals(@CheckForNull String name, @CheckForNull String url, Totals sums) {
        this.name = name;
        this.url = url;
        this.sums = sums;
    }
}
