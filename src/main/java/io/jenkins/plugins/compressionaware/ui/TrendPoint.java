package io.jenkins.plugins.compressionaware.ui;

import hudson.model.Run;
import io.jenkins.plugins.compressionaware.report.TransferTotals;
import org.kohsuke.accmod.Restricted;
import org.kohsuke.accmod.restrictions.NoExternalUse;
import org.kohsuke.stapler.export.Exported;
import org.kohsuke.stapler.export.ExportedBean;

/** The totals of one build on a job's page. */
@ExportedBean(defaultVisibility = 2)
@Restricted(NoExternalUse.class)
public record TrendPoint(
        Run<?, ?> build, @Exported(inline = true) TransferTotals total) {
    @Exported
    public int getNumber() {
        return build.getNumber();
    }

    @Exported
    public String getDisplayName() {
        return build.getDisplayName();
    }

    @Exported
    public long getTimestamp() {
        return build.getTimeInMillis();
    }
}
