package io.jenkins.plugins.compressionaware.ui;

import edu.umd.cs.findbugs.annotations.CheckForNull;
import io.jenkins.plugins.compressionaware.report.TransferTotals;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/**
 * The totals of a period, an agent or a job.
 *
 * @param name null for a job that the user may not read
 * @param url  relative to Jenkins' root URL; null if there is no page or the user may not see it
 */
@ExportedBean(defaultVisibility = 2)
@Restricted(NoExternalUse.class)
public record NamedTotals(
        @Exported @CheckForNull String name,
        @CheckForNull String url,
        @Exported(inline = true) TransferTotals sums) {}
